"""A small reference agent loop: windows, tool groups that can be parked, judges of the answer."""
