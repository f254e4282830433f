"""PostgreSQL: the adapter over psycopg 3, imported only where a policy names such a database."""
