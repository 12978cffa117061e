"""The hybrid reward in the frameworks that people train in: one file a framework, each imported only by its user."""
