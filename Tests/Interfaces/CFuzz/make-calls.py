"""Writes a C function for each function that the headers declare, which calls it with arguments picked at random.

    make-calls.py OUTPUT HEADER...

What is picked for an argument follows from its type and name; picks.c, arrays.c and callbacks.c have the picks. A declaration with a type that is not known here ends
this with its name: then it needs a line in one of the tables, and a pick.
"""

import re
import sys
from pathlib import Path

HANDLES = "database snapshot transaction reader cursor index_cursor listener large_value query results groups collection changes watch pending".split()

#: Structures that begin with their size.
SIZED = {
    "freehold_class_info_t", "freehold_property_info_t", "freehold_index_info_t", "freehold_object_change_t", "freehold_error_t", "freehold_information_t",
    "freehold_check_report_t", "freehold_salvage_report_t", "freehold_json_report_t", "freehold_collection_changes_t",
    "freehold_import_report_t", "freehold_derived_index_info_t", "freehold_sync_report_t",
    "freehold_sync_state_t",
}

#: What works on the caller's own memory alone: there is nothing that may be wrong.
LEFT_OUT = {"freehold_buffer_append", "freehold_buffer_free"}

#: What is picked by type alone.
BY_TYPE = {
    "bool": "pick(2)", "freehold_class_t": "pick_class()", "freehold_property_t": "pick_property()", "uint32_t": "pick_number()",
    "freehold_key_t": "pick_key()", "uint64_t": "pick_count64()", "freehold_version_t": "pick_count64()", "freehold_savepoint_t": "pick_count64()",
    "freehold_answer_t": "pick_count64()", "freehold_type_t": "pick_type()", "freehold_delete_rule_t": "pick_number()", "freehold_durability_t": "pick_durability()",
    "freehold_error_code_t": "pick_code()", "freehold_decimal_t": "pick_decimal()", "const freehold_value_t *": "pick_values()",
    "const freehold_property_t *": "pick_properties()", "const freehold_key_t *": "pick_keys()", "const freehold_entry_t *": "pick_entries()",
    "const freehold_column_t *": "pick_columns()", "const freehold_property_info_t *": "pick_property_infos()",
    "const freehold_class_definition_t *": "pick_definitions()", "const freehold_open_options_t *": "pick_options()",
    "const freehold_text_t *": "pick_paths()", "const uint8_t *": "pick_bytes()", "const void *": "pick_bytes()", "freehold_check_callback_t": "pick(2) ? hear_problem : NULL",
    "freehold_salvage_callback_t": "pick(2) ? hear_sentence : NULL", "freehold_holder_callback_t": "pick(2) ? hear_holder : NULL",
    "const freehold_import_t *": "pick_import()", "freehold_import_remark_callback_t": "pick(2) ? hear_sentence : NULL",
    "freehold_json_form_t": "pick_number()", "const freehold_json_options_t *": "pick_json_options()",
    "freehold_text_callback_t": "pick(8) ? hear_text : NULL", "freehold_read_callback_t": "pick(8) ? give_text : NULL",
    "freehold_json_bad_record_callback_t": "pick(2) ? hear_record : NULL", "freehold_migration_callback_t": "pick(2) ? migrate : NULL",
    "freehold_convert_callback_t": "pick(2) ? convert : NULL", "freehold_delivery_callback_t": "pick(2) ? hear_delivery : NULL",
    "freehold_found_text_callback_t": "pick(2) ? hear_found : NULL",
    "freehold_sync_merge_callback_t": "pick(2) ? merge_values : NULL", "freehold_sync_loss_callback_t": "pick(2) ? hear_loss : NULL",
    "const freehold_sync_settings_t *": "pick_sync_settings()", "freehold_sync_settings_callback_t": "pick(2) ? hear_settings : NULL",
    "freehold_sync_issue_callback_t": "pick(2) ? hear_issue : NULL",
    "freehold_vector_elements_t": "pick(4)", "freehold_vector_metric_t": "pick(4)",
    "const freehold_index_field_t *": "pick_index_fields()", "freehold_index_progress_callback_t": "pick(2) ? hear_building : NULL",
}

#: Types of which any number may be written: an array of picks.c, or NULL.
WRITTEN = {
    "bool *", "char *", "double *", "int32_t *", "int64_t *", "size_t *", "uint32_t *", "uint64_t *", "uint8_t *", "void *", "freehold_class_t *",
    "freehold_property_t *", "freehold_key_t *", "freehold_answer_t *", "freehold_savepoint_t *", "freehold_version_t *", "freehold_type_t *",
    "freehold_decimal_t *", "freehold_text_t *", "freehold_value_t *", "freehold_values_t *", "const freehold_key_t **",
}

#: What takes long, or ends what others need, is called seldom.
SELDOM = re.compile(
    r"database_(import|copy|copy_under_key|backup|compact|salvage|check|change_key|flush|open|close|delete_files|build_indexes)"
    r"|snapshot_(copy|end)|transaction_(commit|rollback|commit_async)|schema_update|json_import"
    r"|_unmark_synced$"
    r"|_(drop|drop_full_text_index|drop_place_index|drop_vector_index|drop_collation_index|set_embedded|set_primary_key|rename|set_type)$"
    r"|_(abi_version|version|version_numbers)$")
#: What ends a handle is called less often than what makes one.
CLOSING = re.compile(r"_close$")


def declarations(headers):
    for header in headers:
        text = re.sub(r"/\*.*?\*/", "", Path(header).read_text(), flags=re.S)
        text = re.sub(r"^#.*$", "", text, flags=re.M)
        for found in re.finditer(r"FREEHOLD_API\s+([^;{]+);", text):
            result, name, parameters = re.match(r"(.*?)\s*\b(freehold_\w+)\((.*)\)$", " ".join(found.group(1).split())).groups()
            if name in LEFT_OUT:
                continue
            yield result.strip(), name, [] if parameters == "void" else [parameter.strip() for parameter in parameters.split(",")]


def split(parameter):
    kind, name, bounds = re.match(r"(.*?)(\w+)(\[[^]]*\])?$", parameter).groups()
    return kind.strip() + (" *" if bounds else ""), name


def argument(function, kind, name, index, before):
    """The argument's expression; `before` gets the lines that prepare it."""
    handle = re.match(r"(const )?freehold_(\w+)_t (\*\*?)$", kind)
    if handle and handle.group(2) in HANDLES:
        what = handle.group(2).upper()
        if handle.group(3) == "**":
            before.append(f"    freehold_{handle.group(2)}_t *made_{index} = NULL;")
            return f"pick(30) ? &made_{index} : NULL"
        before.append(f"    void *handle_{index} = pick_handle(HANDLE_{what});")
        return f"handle_{index}"
    if kind == "const char *":
        before.append(f"    struct bytes text_{index} = pick_text(\"{name}\");")
        return f"text_{index}.bytes"
    if kind == "size_t" and name.endswith("_length") and f"text_{index - 1}" in " ".join(before):
        return f"text_{index - 1}.length"
    if kind == "int64_t":
        return "pick_timeout()" if "timeout" in name else "pick_key()"
    if kind == "size_t" and name in ("argument_count", "named_count"):
        return "pick(4) ? 0 : pick_size()"
    if kind == "size_t" and (name == "key_length" or function == "freehold_key_generate"):
        return "pick(4) ? FREEHOLD_KEY_LENGTH : pick_size()"
    if kind == "size_t":
        return "pick_size()"
    if kind == "void *" and name == "context":
        return "NULL"
    if kind.removesuffix(" *") in SIZED:
        return "pick_sized()"
    if kind in WRITTEN:
        return f"pick_out({index})"
    if kind in BY_TYPE:
        return BY_TYPE[kind]
    raise SystemExit(f"make-calls.py: {function} has an argument '{kind} {name}' that nothing is picked for")


def call(result, name, parameters):
    before, arguments = [], []
    parts = [split(parameter) for parameter in parameters]
    for index, (kind, own) in enumerate(parts):
        arguments.append(argument(name, kind, own, index, before))
    lines = [f"static void call_{name}(void)", "{", *before]
    code = f"{name}({', '.join(arguments)})"
    kinds = {index: found.group(1) for index in range(len(parts)) for found in re.finditer(rf"handle_{index} = pick_handle\((\w+)\)", "\n".join(before))}
    if result == "freehold_error_code_t" and name != "freehold_last_error":
        lines.append(f"    freehold_error_code_t code = {code};")
        refused = f"is_hopeless({kinds[0]}, handle_0)" if 0 in kinds else "false"
        # Ending NULL does nothing.
        if re.search(r"_(close|end|transaction_rollback)$", name):
            refused += " && handle_0 != NULL"
        # Asked before the call, which may end it.
        lines.insert(len(lines) - 1, f"    bool is_refused = {refused};")
        lines.append("    judge(code, is_refused);")
        if re.search(r"_(close|end|commit|commit_async|rollback)$", name) and 0 in kinds and "savepoint" not in name:
            lines.append("    if (code == FREEHOLD_OK && handle_0 != NULL) note_ended(handle_0);")
        for index, (kind, _) in enumerate(parts):
            if f"*made_{index} =" in "\n".join(before):
                what = re.match(r"freehold_(\w+)_t", kind).group(1)
                lines.append(f"    if (code == FREEHOLD_OK && made_{index} != NULL) keep(HANDLE_{what.upper()}, made_{index});")
                lines.append(f"    CHECK(code == FREEHOLD_OK || made_{index} == NULL);")
    elif result == "const freehold_reader_t *":
        lines += [f"    const freehold_reader_t *reader = {code};", "    CHECK(!is_hopeless(" + kinds[0] + ", handle_0) || reader == NULL);"]
        lines += ["    if (reader == NULL) return;", "    keep(HANDLE_READER, (void *)reader);", "    successes[running]++;"]
    else:
        lines += [f"    (void){code};" if result != "void" else f"    {code};", "    successes[running]++;"]
    return "\n".join([*lines, "}", ""])


def main(output, headers):
    functions = list(declarations(headers))
    if not functions:
        raise SystemExit("make-calls.py: no function is declared")
    text = ["/* Made by make-calls.py from the headers. */", ""]
    text += [call(*function) for function in functions]
    text.append("static const struct function functions[] = {")
    text += [f'    {{ "{name}", call_{name}, {1 if SELDOM.search(name) else 4 if CLOSING.search(name) else 12} }},' for _, name, _ in functions]
    text.append("};")
    Path(output).write_text("\n".join(text) + "\n")


if __name__ == "__main__":
    main(sys.argv[1], sorted(sys.argv[2:]))
