"""Alembic's entry point: run the revisions on the connection of `apply_migrations`."""

from alembic import context

from bot.database.schema import metadata

context.configure(
    connection=context.config.attributes["connection"], target_metadata=metadata, render_as_batch=True
)
with context.begin_transaction():
    context.run_migrations()
