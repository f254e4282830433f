"""A description of Swagger 2.0 in the form of OpenAPI 3.0, with nothing silently left out."""
