/* Where the members of structures are, as programs were compiled with it: nothing moves, and new ones come at the end. */
#include "check.h"

#define SIZE(type, bytes) CHECK(sizeof(type) == (bytes))
#define AT(type, member, offset) CHECK(offsetof(type, member) == (offset))

/* These stay as they are. */
static void test_plain(void)
{
    SIZE(freehold_text_t, 16);
    AT(freehold_text_t, bytes, 0);
    AT(freehold_text_t, length, 8);
    SIZE(freehold_data_t, 16);
    AT(freehold_data_t, bytes, 0);
    AT(freehold_data_t, length, 8);
    SIZE(freehold_date_t, 16);
    AT(freehold_date_t, seconds, 0);
    AT(freehold_date_t, nanoseconds, 8);
    SIZE(freehold_decimal_t, 16);
    AT(freehold_decimal_t, low, 0);
    AT(freehold_decimal_t, high, 8);
    SIZE(freehold_link_t, 16);
    AT(freehold_link_t, key, 0);
    AT(freehold_link_t, object_class, 8);
    SIZE(freehold_value_t, 24);
    AT(freehold_value_t, as, 0);
    AT(freehold_value_t, type, 16);
    SIZE(freehold_entry_t, 40);
    AT(freehold_entry_t, key, 0);
    AT(freehold_entry_t, value, 16);
    SIZE(freehold_values_t, 16);
    AT(freehold_values_t, values, 0);
    AT(freehold_values_t, count, 8);
    SIZE(freehold_entries_t, 16);
    AT(freehold_entries_t, entries, 0);
    AT(freehold_entries_t, count, 8);
    SIZE(freehold_index_field_t, 24);
    AT(freehold_index_field_t, path, 0);
    AT(freehold_index_field_t, weight, 16);
    SIZE(freehold_range_t, 16);
    AT(freehold_range_t, start, 0);
    AT(freehold_range_t, end, 8);
    SIZE(freehold_positions_t, 16);
    AT(freehold_positions_t, positions, 0);
    AT(freehold_positions_t, count, 8);
    SIZE(freehold_texts_t, 16);
    AT(freehold_texts_t, texts, 0);
    AT(freehold_texts_t, count, 8);
    SIZE(freehold_buffer_t, 24);
    AT(freehold_buffer_t, bytes, 0);
    AT(freehold_buffer_t, length, 8);
    AT(freehold_buffer_t, capacity, 16);
}

static void test_derived_index(void)
{
    SIZE(freehold_found_text_t, 96);
    AT(freehold_found_text_t, size, 0);
    AT(freehold_found_text_t, path, 8);
    AT(freehold_found_text_t, text, 24);
    AT(freehold_found_text_t, highlights, 40);
    AT(freehold_found_text_t, highlight_count, 48);
    AT(freehold_found_text_t, snippet, 56);
    AT(freehold_found_text_t, snippet_highlights, 72);
    AT(freehold_found_text_t, snippet_highlight_count, 80);
    AT(freehold_found_text_t, cut_before, 88);
    AT(freehold_found_text_t, cut_after, 89);
    SIZE(freehold_derived_index_info_t, 456);
    AT(freehold_derived_index_info_t, size, 0);
    AT(freehold_derived_index_info_t, kind, 8);
    AT(freehold_derived_index_info_t, state, 12);
    AT(freehold_derived_index_info_t, percent, 16);
    AT(freehold_derived_index_info_t, field_count, 20);
    AT(freehold_derived_index_info_t, documents, 24);
    AT(freehold_derived_index_info_t, words, 32);
    AT(freehold_derived_index_info_t, fields, 40);
    AT(freehold_derived_index_info_t, elements, 424);
    AT(freehold_derived_index_info_t, metric, 428);
    AT(freehold_derived_index_info_t, dimensions, 432);
    AT(freehold_derived_index_info_t, language, 440);
}

/* What programs fill in, and what describes a schema: these may grow at their end, which changes the size here. */
static void test_given(void)
{
    SIZE(freehold_error_t, 32);
    AT(freehold_error_t, size, 0);
    AT(freehold_error_t, code, 8);
    AT(freehold_error_t, system_code, 12);
    AT(freehold_error_t, message, 16);
    AT(freehold_error_t, path, 24);
    SIZE(freehold_open_options_t, 88);
    AT(freehold_open_options_t, size, 0);
    AT(freehold_open_options_t, read_only, 8);
    AT(freehold_open_options_t, must_exist, 9);
    AT(freehold_open_options_t, in_memory, 10);
    AT(freehold_open_options_t, file_mode, 12);
    AT(freehold_open_options_t, lock_timeout_milliseconds, 16);
    AT(freehold_open_options_t, encryption_key, 24);
    AT(freehold_open_options_t, encryption_key_length, 32);
    AT(freehold_open_options_t, decrypted_bytes_limit, 40);
    AT(freehold_open_options_t, flush_timeout_milliseconds, 48);
    AT(freehold_open_options_t, parked_bytes_limit, 56);
    AT(freehold_open_options_t, thread_limit, 64);
    AT(freehold_open_options_t, parked_versions_limit, 72);
    SIZE(freehold_property_info_t, 64);
    AT(freehold_property_info_t, size, 0);
    AT(freehold_property_info_t, name, 8);
    AT(freehold_property_info_t, type, 24);
    AT(freehold_property_info_t, flags, 28);
    AT(freehold_property_info_t, link_target, 32);
    AT(freehold_property_info_t, delete_rule, 48);
    AT(freehold_property_info_t, collections, 52);
    SIZE(freehold_class_info_t, 48);
    AT(freehold_class_info_t, size, 0);
    AT(freehold_class_info_t, name, 8);
    AT(freehold_class_info_t, property_count, 24);
    AT(freehold_class_info_t, primary_key, 28);
    AT(freehold_class_info_t, superclass, 32);
    AT(freehold_class_info_t, index_count, 36);
    AT(freehold_class_info_t, embedded, 40);
    AT(freehold_class_info_t, sync, 44);
    SIZE(freehold_index_info_t, 80);
    AT(freehold_index_info_t, size, 0);
    AT(freehold_index_info_t, property_count, 8);
    AT(freehold_index_info_t, unique, 12);
    AT(freehold_index_info_t, properties, 16);
    SIZE(freehold_class_definition_t, 64);
    AT(freehold_class_definition_t, size, 0);
    AT(freehold_class_definition_t, name, 8);
    AT(freehold_class_definition_t, superclass, 24);
    AT(freehold_class_definition_t, property_count, 40);
    AT(freehold_class_definition_t, properties, 48);
    AT(freehold_class_definition_t, embedded, 56);
    AT(freehold_class_definition_t, sync, 60);
    SIZE(freehold_column_t, 32);
    AT(freehold_column_t, size, 0);
    AT(freehold_column_t, property, 8);
    AT(freehold_column_t, type, 12);
    AT(freehold_column_t, values, 16);
    AT(freehold_column_t, nulls, 24);
    SIZE(freehold_json_options_t, 32);
    AT(freehold_json_options_t, size, 0);
    AT(freehold_json_options_t, primary_key, 8);
    AT(freehold_json_options_t, skip_bad_records, 24);
}

/* What programs are told of sync, likewise. */
static void test_told_of_sync(void)
{
    SIZE(freehold_sync_report_t, 32);
    AT(freehold_sync_report_t, size, 0);
    AT(freehold_sync_report_t, losses, 8);
    AT(freehold_sync_report_t, changed_objects, 16);
    AT(freehold_sync_report_t, reset, 24);
    SIZE(freehold_sync_loss_t, 72);
    AT(freehold_sync_loss_t, size, 0);
    AT(freehold_sync_loss_t, class_name, 8);
    AT(freehold_sync_loss_t, primary_key, 24);
    AT(freehold_sync_loss_t, property, 48);
    AT(freehold_sync_loss_t, reason, 64);
    SIZE(freehold_sync_conflict_t, 112);
    AT(freehold_sync_conflict_t, size, 0);
    AT(freehold_sync_conflict_t, class_name, 8);
    AT(freehold_sync_conflict_t, primary_key, 24);
    AT(freehold_sync_conflict_t, property, 48);
    AT(freehold_sync_conflict_t, mine, 64);
    AT(freehold_sync_conflict_t, theirs, 88);
    SIZE(freehold_sync_settings_t, 64);
    AT(freehold_sync_settings_t, size, 0);
    AT(freehold_sync_settings_t, address, 8);
    AT(freehold_sync_settings_t, token, 24);
    AT(freehold_sync_settings_t, token_file, 40);
    AT(freehold_sync_settings_t, suspended, 56);
    SIZE(freehold_sync_state_t, 32);
    AT(freehold_sync_state_t, size, 0);
    AT(freehold_sync_state_t, connection, 8);
    AT(freehold_sync_state_t, has_agent, 12);
    AT(freehold_sync_state_t, pending, 13);
    AT(freehold_sync_state_t, exchanged, 14);
    AT(freehold_sync_state_t, last_exchange, 16);
    SIZE(freehold_sync_issue_t, 136);
    AT(freehold_sync_issue_t, size, 0);
    AT(freehold_sync_issue_t, date, 8);
    AT(freehold_sync_issue_t, code, 24);
    AT(freehold_sync_issue_t, what, 40);
    AT(freehold_sync_issue_t, place, 56);
    AT(freehold_sync_issue_t, advice, 72);
    AT(freehold_sync_issue_t, class_name, 88);
    AT(freehold_sync_issue_t, primary_key, 104);
    AT(freehold_sync_issue_t, property, 120);
}

/* What programs are told, likewise. */
static void test_told(void)
{
    SIZE(freehold_salvage_report_t, 40);
    AT(freehold_salvage_report_t, size, 0);
    AT(freehold_salvage_report_t, classes, 8);
    AT(freehold_salvage_report_t, objects, 16);
    AT(freehold_salvage_report_t, lost_objects, 24);
    AT(freehold_salvage_report_t, complete, 32);
    SIZE(freehold_collection_changes_t, 120);
    AT(freehold_collection_changes_t, size, 0);
    AT(freehold_collection_changes_t, deletions, 8);
    AT(freehold_collection_changes_t, insertions, 24);
    AT(freehold_collection_changes_t, modifications, 40);
    AT(freehold_collection_changes_t, modified, 56);
    AT(freehold_collection_changes_t, deleted_keys, 72);
    AT(freehold_collection_changes_t, inserted_keys, 88);
    AT(freehold_collection_changes_t, modified_keys, 104);
    SIZE(freehold_object_change_t, 32);
    AT(freehold_object_change_t, size, 0);
    AT(freehold_object_change_t, key, 8);
    AT(freehold_object_change_t, kind, 16);
    AT(freehold_object_change_t, property_count, 20);
    AT(freehold_object_change_t, properties, 24);
    SIZE(freehold_delivery_t, 184);
    AT(freehold_delivery_t, size, 0);
    AT(freehold_delivery_t, answer, 8);
    AT(freehold_delivery_t, code, 16);
    AT(freehold_delivery_t, gone, 20);
    AT(freehold_delivery_t, deletions, 24);
    AT(freehold_delivery_t, insertions, 40);
    AT(freehold_delivery_t, modifications, 56);
    AT(freehold_delivery_t, modified, 72);
    AT(freehold_delivery_t, before, 88);
    AT(freehold_delivery_t, after, 96);
    AT(freehold_delivery_t, properties, 104);
    AT(freehold_delivery_t, deleted_keys, 120);
    AT(freehold_delivery_t, inserted_keys, 136);
    AT(freehold_delivery_t, modified_keys, 152);
    AT(freehold_delivery_t, classes, 168);
    SIZE(freehold_information_t, 80);
    AT(freehold_information_t, size, 0);
    AT(freehold_information_t, version, 8);
    AT(freehold_information_t, durable_version, 16);
    AT(freehold_information_t, file_length, 24);
    AT(freehold_information_t, used_bytes, 32);
    AT(freehold_information_t, free_bytes, 40);
    AT(freehold_information_t, held_bytes, 48);
    AT(freehold_information_t, holder_count, 56);
    AT(freehold_information_t, reserved_bytes, 64);
    AT(freehold_information_t, lost_version, 72);
    SIZE(freehold_holder_t, 64);
    AT(freehold_holder_t, size, 0);
    AT(freehold_holder_t, version, 8);
    AT(freehold_holder_t, process_id, 16);
    AT(freehold_holder_t, readers, 20);
    AT(freehold_holder_t, held_milliseconds, 24);
    AT(freehold_holder_t, process_name, 32);
    AT(freehold_holder_t, kept_bytes, 48);
    AT(freehold_holder_t, parked, 56);
    SIZE(freehold_check_report_t, 88);
    AT(freehold_check_report_t, size, 0);
    AT(freehold_check_report_t, version, 8);
    AT(freehold_check_report_t, classes, 16);
    AT(freehold_check_report_t, objects, 24);
    AT(freehold_check_report_t, blocks, 32);
    AT(freehold_check_report_t, index_entries, 40);
    AT(freehold_check_report_t, links, 48);
    AT(freehold_check_report_t, live_bytes, 56);
    AT(freehold_check_report_t, problem_count, 64);
    AT(freehold_check_report_t, collections, 72);
    AT(freehold_check_report_t, elements, 80);
    SIZE(freehold_check_problem_t, 32);
    AT(freehold_check_problem_t, size, 0);
    AT(freehold_check_problem_t, kind, 8);
    AT(freehold_check_problem_t, place, 16);
    AT(freehold_check_problem_t, message, 24);
    SIZE(freehold_json_report_t, 32);
    AT(freehold_json_report_t, size, 0);
    AT(freehold_json_report_t, records, 8);
    AT(freehold_json_report_t, nested, 16);
    AT(freehold_json_report_t, bad, 24);
}

void test_layout(void)
{
    test_plain();
    test_given();
    test_derived_index();
    test_told();
    test_told_of_sync();
}
