"""Reading declarations: tables of a policy in, documents or a refusal out."""
