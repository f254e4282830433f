"""What schemas say in OpenAPI that they do not in JSON Schema: who sends what, and as which kind."""
