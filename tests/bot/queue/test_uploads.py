"""Which pictures Telegram has, and for how long that is remembered."""

from sqlalchemy import StaticPool, create_engine

from bot.database.schema import metadata
from bot.database.schema import uploads as table
from bot.queue.photos import (
    PERSONAL_UPLOAD_RETENTION,
    UPLOAD_RETENTION,
    Upload,
    delete_expired_uploads,
    delete_upload,
    load_file_id,
    save_upload,
)


def test_a_picture_is_remembered_for_its_time() -> None:
    engine = create_engine("sqlite://", poolclass=StaticPool)
    metadata.create_all(engine, tables=[table])
    with engine.begin() as tx:
        assert load_file_id(tx, "deal") is None
        save_upload(tx, Upload("deal", "one"), 100.0)
        save_upload(tx, Upload("deal", "two"), 200.0)
        save_upload(tx, Upload("race", "three", names_people=True), 200.0)
        assert load_file_id(tx, "deal") == "two"
        delete_expired_uploads(tx, 200.0 + PERSONAL_UPLOAD_RETENTION + 1)
        assert (load_file_id(tx, "deal"), load_file_id(tx, "race")) == ("two", None)
        delete_expired_uploads(tx, 200.0 + UPLOAD_RETENTION)
        assert load_file_id(tx, "deal") == "two"
        delete_expired_uploads(tx, 201.0 + UPLOAD_RETENTION)
        assert load_file_id(tx, "deal") is None
        save_upload(tx, Upload("deal", "four"), 300.0)
        delete_upload(tx, "deal")
        assert load_file_id(tx, "deal") is None
