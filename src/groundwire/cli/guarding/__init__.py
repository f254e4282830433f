"""The commands of `groundwire guard`, a module each."""
