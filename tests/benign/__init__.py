"""A coding session that does nothing out of the ordinary, carried out whole under the default policy."""
