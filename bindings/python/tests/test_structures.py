"""The package's structures are those of the headers: the same members, at the same places, of the same sizes."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import freehold

from kit import Case

# The module: the package keeps the library itself under its name.
module = sys.modules["freehold._library"]
INCLUDE = Path(__file__).resolve().parents[3] / "include"

# The C type of each structure, and the members that have another name there.
STRUCTURES = {
    "Text": "freehold_text_t", "Date": "freehold_date_t", "DecimalBits": "freehold_decimal_t", "Entry": "freehold_entry_t",
    "Value": "freehold_value_t", "ErrorDetail": "freehold_error_t", "OpenOptions": "freehold_open_options_t",
    "PropertyDetail": "freehold_property_info_t", "ClassDetail": "freehold_class_info_t", "ClassDefinition": "freehold_class_definition_t",
    "ColumnValues": "freehold_column_t", "ObjectChange": "freehold_object_change_t", "Positions": "freehold_positions_t",
    "Texts": "freehold_texts_t", "Delivery": "freehold_delivery_t", "JSONOptions": "freehold_json_options_t",
    "SyncLossDetail": "freehold_sync_loss_t", "SyncConflictDetail": "freehold_sync_conflict_t",
    "SyncReportDetail": "freehold_sync_report_t", "SyncSettingsDetail": "freehold_sync_settings_t",
    "SyncStateDetail": "freehold_sync_state_t", "SyncIssueDetail": "freehold_sync_issue_t",
    "JSONReport": "freehold_json_report_t", "Information": "freehold_information_t", "CheckReport": "freehold_check_report_t",
    "CheckProblem": "freehold_check_problem_t", "IndexField": "freehold_index_field_t",
    "Range": "freehold_range_t", "FoundTextDetail": "freehold_found_text_t",
    "DerivedIndexDetail": "freehold_derived_index_info_t", "ImportSource": "freehold_import_t", "ImportReport": "freehold_import_report_t",
}
# Parts of a value, which C declares within it.
WITHIN = {"Link", "Elements", "ValueBits"}


def structures() -> dict[str, type[ctypes.Structure]]:
    return {name: found for name, found in vars(module).items()
            if isinstance(found, type) and issubclass(found, (ctypes.Structure, ctypes.Union)) and found not in (ctypes.Structure, ctypes.Union)}


class StructureTests(Case):
    def test_all_are_compared(self) -> None:
        self.assertEqual(set(structures()), set(STRUCTURES) | WITHIN)

    @unittest.skipUnless(shutil.which("gcc") and INCLUDE.is_dir(), "needs the headers and gcc")
    def test_members(self) -> None:
        lines, expected = [], []
        for name, c_type in STRUCTURES.items():
            structure = structures()[name]
            fields = [(field[0], field[1]) for field in structure._fields_ if field[0] not in getattr(structure, "_anonymous_", ())]
            lines.append(f'    printf("{name} %zu\\n", sizeof({c_type}));')
            expected.append(f"{name} {ctypes.sizeof(structure)}")
            for field, kind in fields:
                lines.append(f'    printf("{name}.{field} %zu %zu\\n", offsetof({c_type}, {field}), sizeof((({c_type} *)0)->{field}));')
                expected.append(f"{name}.{field} {getattr(structure, field).offset} {ctypes.sizeof(kind)}")
        text = "\n".join(["#include <stddef.h>", "#include <stdio.h>", "#include <freehold.h>", "int main(void)", "{", *lines, "    return 0;", "}", ""])
        with tempfile.TemporaryDirectory() as folder:
            source, program = Path(folder, "layout.c"), Path(folder, "layout")
            source.write_text(text)
            built = subprocess.run(["gcc", "-std=c11", f"-I{INCLUDE}", str(source), "-o", str(program)], capture_output=True, text=True)
            self.assertEqual(built.returncode, 0, built.stderr)
            printed = subprocess.run([str(program)], capture_output=True, text=True, check=True).stdout.split("\n")
        self.assertEqual([line for line in printed if line], expected)

    def test_open_takes_every_option(self) -> None:
        with freehold.open(self.path, flush_timeout=5, decrypted_bytes_limit=1 << 20, parked_bytes_limit=1 << 20, parked_versions_limit=3,
                           thread_limit=1) as database:
            self.assertGreater(database.sizes().version, 0)
        for options in (dict(parked_versions_limit=-1), dict(parked_bytes_limit=1 << 64), dict(thread_limit=1 << 32)):
            with self.assertRaisesRegex(ValueError, "must be 0 or more"):
                freehold.open(self.path, **options)


if __name__ == "__main__":
    unittest.main()
