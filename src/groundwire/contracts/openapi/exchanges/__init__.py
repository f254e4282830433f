"""What a change does to exchanges: where requests go, who may send them, what may come back."""
