/* Where the members of structures are, as programs were compiled with it: nothing moves, and new ones come at the end. */
#include "check.h"

#define AT(type, member, offset) CHECK(offsetof(type, member) == (offset))

void test_layout(void)
{
    CHECK(sizeof(freehold_text_t) == 16 && sizeof(freehold_values_t) == 16 && sizeof(freehold_entry_t) == 40);
    CHECK(sizeof(freehold_value_t) == 24 && sizeof(freehold_date_t) == 16 && sizeof(freehold_link_t) == 16);
    AT(freehold_value_t, as, 0);
    AT(freehold_value_t, type, 16);
    AT(freehold_entry_t, value, 16);
    AT(freehold_error_t, code, 8);
    AT(freehold_error_t, system_code, 12);
    AT(freehold_error_t, message, 16);
    AT(freehold_error_t, path, 24);
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
    AT(freehold_property_info_t, name, 8);
    AT(freehold_property_info_t, type, 24);
    AT(freehold_property_info_t, flags, 28);
    AT(freehold_property_info_t, link_target, 32);
    AT(freehold_property_info_t, delete_rule, 48);
    AT(freehold_property_info_t, collections, 52);
    AT(freehold_class_info_t, name, 8);
    AT(freehold_class_info_t, property_count, 24);
    AT(freehold_class_info_t, primary_key, 28);
    AT(freehold_class_info_t, superclass, 32);
    AT(freehold_class_info_t, index_count, 36);
    AT(freehold_class_info_t, embedded, 40);
    AT(freehold_class_definition_t, superclass, 24);
    AT(freehold_class_definition_t, property_count, 40);
    AT(freehold_class_definition_t, properties, 48);
    AT(freehold_class_definition_t, embedded, 56);
    AT(freehold_index_info_t, property_count, 8);
    AT(freehold_index_info_t, unique, 12);
    AT(freehold_index_info_t, properties, 16);
    AT(freehold_column_t, property, 8);
    AT(freehold_column_t, type, 12);
    AT(freehold_column_t, values, 16);
    AT(freehold_column_t, nulls, 24);
    AT(freehold_object_change_t, key, 8);
    AT(freehold_object_change_t, kind, 16);
    AT(freehold_object_change_t, property_count, 20);
    AT(freehold_object_change_t, properties, 24);
    AT(freehold_delivery_t, code, 16);
    AT(freehold_delivery_t, deletions, 24);
    AT(freehold_delivery_t, modified, 72);
    AT(freehold_delivery_t, after, 96);
    AT(freehold_delivery_t, properties, 104);
    AT(freehold_delivery_t, deleted_keys, 120);
    AT(freehold_delivery_t, modified_keys, 152);
    AT(freehold_delivery_t, classes, 168);
    AT(freehold_json_options_t, primary_key, 8);
    AT(freehold_json_options_t, skip_bad_records, 24);
    AT(freehold_json_report_t, bad, 24);
    AT(freehold_buffer_t, length, 8);
    AT(freehold_buffer_t, capacity, 16);
    AT(freehold_information_t, holder_count, 56);
    AT(freehold_information_t, reserved_bytes, 64);
    AT(freehold_holder_t, process_name, 32);
    AT(freehold_holder_t, kept_bytes, 48);
    AT(freehold_holder_t, parked, 56);
    AT(freehold_check_report_t, problem_count, 64);
    AT(freehold_check_report_t, elements, 80);
    AT(freehold_salvage_report_t, lost_objects, 24);
    AT(freehold_salvage_report_t, complete, 32);
}
