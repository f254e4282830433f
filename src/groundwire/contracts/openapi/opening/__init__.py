"""An API's description out of the files it is written in: read, bundled, brought to the form of 3.x."""
