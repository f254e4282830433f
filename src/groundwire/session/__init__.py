"""The hall: a run walks from frame to recording, and enters each room once."""
