"""Guarded calls in read-outs: each as one record, and a receipt looked at by itself."""
