"""Assets as Parquet files, on a local path or any fsspec address, written whole or not at all."""

from __future__ import annotations

from typing import Any

import dagster as dg
import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import PrivateAttr
from upath import UPath

from coworkenv_dagster.errors import StorageError


class _ParquetFiles(dg.UPathIOManager):
    extension = ".parquet"

    def dump_to_path(self, context: dg.OutputContext, obj: pa.Table, path: UPath) -> None:
        """Writes a table beside its place, then renames it into place."""
        temporary = path.with_name(f".{path.name}.{context.run_id[:8]}.tmp")
        try:
            with temporary.open("wb") as stream:
                pq.write_table(obj, stream, compression="zstd")
            temporary.rename(path)
        except OSError as error:
            temporary.unlink(missing_ok=True)
            raise StorageError(
                f"can't write: {error.strerror or error}",
                where=str(path),
                mend="Free some space, then run it again",
            ) from error

    def load_from_path(self, context: dg.InputContext, path: UPath) -> pa.Table:
        """Reads a table.

        Raises:
            StorageError: The file is damaged.
        """
        try:
            with path.open("rb") as stream:
                return pq.read_table(stream)
        except pa.ArrowException as error:
            raise StorageError(
                f"not a Parquet file ({error})", where=str(path), mend="Materialize it again"
            ) from error

    def get_metadata(self, context: dg.OutputContext, obj: pa.Table) -> dict[str, Any]:
        """Gives row count and columns."""
        columns = [dg.TableColumn(field.name, str(field.type)) for field in obj.schema]
        return {
            "dagster/row_count": obj.num_rows,
            "dagster/column_schema": dg.TableSchema(columns=columns),
        }


class ParquetIOManager(dg.ConfigurableIOManager):
    """Stores Arrow tables at `<base>/<asset>/<partition>.parquet`."""

    base: str
    """Folder or fsspec address, for example `/data/storage` or `s3://bucket/prefix`."""

    _files: _ParquetFiles | None = PrivateAttr(default=None)

    def _manager(self) -> _ParquetFiles:
        if self._files is None:
            self._files = _ParquetFiles(base_path=UPath(self.base))
        return self._files

    def handle_output(self, context: dg.OutputContext, obj: Any) -> None:
        """Writes what an asset gave."""
        self._manager().handle_output(context, obj)

    def load_input(self, context: dg.InputContext) -> Any:
        """Reads what an asset needs; several partitions come as a dict by partition key."""
        return self._manager().load_input(context)
