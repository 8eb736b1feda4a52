/* What the parts of the fuzz share. */
#ifndef FUZZ_H
#define FUZZ_H

#include <freehold.h>
#include <stdio.h>
#include <stdlib.h>

/* The function that is called now, or what else is done. */
extern const char *at;
extern uint64_t seed, calls_made;

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "%s:%d: %s; in %s, call %llu of seed %llu\n", __FILE__, __LINE__, #condition, at, \
                    (unsigned long long)calls_made, (unsigned long long)seed); \
            exit(1); \
        } \
    } while (0)

/* -- main.c: chance, and the calls */

uint64_t draw(void);

/* A number below `limit`: so 0 once in so many. */
static inline uint32_t pick(uint32_t limit) { return (uint32_t)(draw() % limit); }

/* Calls a function, with what its weight gives it of the chance. */
void call_any(void);

/* -- handles.c */

enum {
    HANDLE_DATABASE, HANDLE_SNAPSHOT, HANDLE_TRANSACTION, HANDLE_READER, HANDLE_CURSOR, HANDLE_INDEX_CURSOR, HANDLE_LISTENER, HANDLE_LARGE_VALUE,
    HANDLE_QUERY, HANDLE_RESULTS, HANDLE_GROUPS, HANDLE_COLLECTION, HANDLE_CHANGES, HANDLE_WATCH, HANDLE_PENDING, HANDLE_KINDS
};

enum { KEPT = 4 };
extern void *kept[HANDLE_KINDS][KEPT];

void note_ended(void *handle);
/* Keeps a new handle, in the place of an older one. */
void keep(int kind, void *handle);
/* Whether a handle can only be refused: NULL, one that has ended, one of another kind. Others may be good, or may not. */
bool is_hopeless(int kind, void *handle);
void *pick_handle(int kind);
void end_all(void);

/* -- picks.c */

/* How many there are of something: every array and every output has room for this many, or for as many of as many. */
enum { ROOM = 8 };

struct bytes {
    const char *bytes;
    size_t length;
};

uint32_t pick_number(void);
freehold_class_t pick_class(void);
freehold_property_t pick_property(void);
freehold_key_t pick_key(void);
uint64_t pick_count64(void);
int64_t pick_timeout(void);
freehold_type_t pick_type(void);
freehold_durability_t pick_durability(void);
freehold_error_code_t pick_code(void);
freehold_decimal_t pick_decimal(void);
size_t pick_size(void);

struct bytes pick_from(const char *const *texts, uint32_t count);
#define PICK_FROM(texts) pick_from(texts, (uint32_t)(sizeof texts / sizeof texts[0]))
/* A text for the argument of this name. */
struct bytes pick_text(const char *name);

const uint8_t *pick_bytes(void);
const freehold_open_options_t *pick_options(void);
const freehold_sync_settings_t *pick_sync_settings(void);
const freehold_json_options_t *pick_json_options(void);
const freehold_import_t *pick_import(void);
void *pick_out(int argument);
/* A structure whose size says what of it may be written. */
void *pick_sized(void);

/* -- arrays.c */

/* A value at this depth within others. */
freehold_value_t pick_value(int depth);
const freehold_value_t *pick_values(void);
const freehold_property_t *pick_properties(void);
const freehold_key_t *pick_keys(void);
const freehold_entry_t *pick_entries(void);
const freehold_column_t *pick_columns(void);
const freehold_property_info_t *pick_property_infos(void);
const freehold_class_definition_t *pick_definitions(void);
const freehold_index_field_t *pick_index_fields(void);
/* Paths of properties, from a person or from a home. */
const freehold_text_t *pick_paths(void);

/* -- callbacks.c */

/* What a migration refused with. */
extern freehold_error_code_t own_code;

void hear_problem(void *context, const freehold_check_problem_t *problem);
void hear_sentence(void *context, const char *text);
void hear_holder(void *context, const freehold_holder_t *holder);
void hear_found(void *context, const freehold_found_text_t *found);
bool hear_building(void *context, uint64_t done, uint64_t total);
bool hear_text(void *context, const char *bytes, size_t length);
void hear_record(void *context, uint64_t line, const char *message);
int64_t give_text(void *context, char *buffer, size_t capacity);
freehold_error_code_t migrate(void *context, freehold_transaction_t *transaction, uint64_t file_version, uint64_t version);
bool convert(void *context, freehold_value_t *value);
bool merge_values(void *context, const freehold_sync_conflict_t *conflict, freehold_value_t *merged);
void hear_loss(void *context, const freehold_sync_loss_t *loss);
void hear_settings(void *context, const freehold_sync_settings_t *settings);
void hear_issue(void *context, const freehold_sync_issue_t *issue);
void hear_delivery(void *context, const freehold_delivery_t *delivery);

/* -- world.c */

const char *world_file(void);
/* One handle of each kind, on a file of two classes and fifty objects; the file before is looked at. */
void begin_anew(void);
/* Looks at the last file; half of all at least were whole. */
void end_worlds(void);

#endif
