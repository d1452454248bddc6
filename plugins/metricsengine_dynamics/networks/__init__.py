"""Who knows whom: graphs, the random networks that draw them, and networks from files."""
