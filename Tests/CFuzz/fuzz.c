/* Every function that the headers declare, called again and again with arguments picked by a seed: handles that are there, that have
 * ended, of another kind, invented or NULL; texts that are no UTF-8, or too long; numbers of nothing; structures of any size. What a program
 * may not do (a buffer shorter than it says, a thread where there is one) is not tried.
 *
 *     fuzz FOLDER [SEED [CALLS]]
 *
 * 1. Each call returns, with a code that has a name; an error has a message.
 * 2. A function that is given no handle of its kind does nothing.
 * 3. Each file is whole in the end, and most functions have succeeded now and then (in a long run): else too little was tried. */
#include <freehold.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *at = "the beginning";
static uint64_t seed, calls_made;

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "%s:%d: %s; in %s, call %llu of seed %llu\n", __FILE__, __LINE__, #condition, at, \
                    (unsigned long long)calls_made, (unsigned long long)seed); \
            exit(1); \
        } \
    } while (0)

/* -- chance */

static uint64_t state;

static uint64_t draw(void)
{
    uint64_t z = (state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

/* A number below `limit`: so 0 once in so many. */
static uint32_t pick(uint32_t limit) { return (uint32_t)(draw() % limit); }

/* -- handles */

enum {
    HANDLE_DATABASE, HANDLE_SNAPSHOT, HANDLE_TRANSACTION, HANDLE_READER, HANDLE_CURSOR, HANDLE_INDEX_CURSOR, HANDLE_LISTENER, HANDLE_LARGE_VALUE,
    HANDLE_QUERY, HANDLE_RESULTS, HANDLE_GROUPS, HANDLE_COLLECTION, HANDLE_CHANGES, HANDLE_WATCH, HANDLE_PENDING, HANDLE_KINDS
};

enum { KEPT = 4, ENDED = 64 };
static void *kept[HANDLE_KINDS][KEPT];
static void *ended[ENDED];
static unsigned ended_count;
static bool is_kept(int kind, void *handle)
{
    for (int place = 0; place < KEPT; place++)
        if (kept[kind][place] == handle) return true;
    return false;
}

static void note_ended(void *handle)
{
    /* A reader ends with what it belongs to, whenever that is. */
    if (!is_kept(HANDLE_READER, handle)) ended[ended_count++ % ENDED] = handle;
    for (int kind = 0; kind < HANDLE_KINDS; kind++)
        for (int place = 0; place < KEPT; place++)
            if (kept[kind][place] == handle) kept[kind][place] = NULL;
}

static freehold_error_code_t end(int kind, void *handle)
{
    switch (kind) {
    case HANDLE_DATABASE: return freehold_database_close(handle);
    case HANDLE_SNAPSHOT: return freehold_snapshot_end(handle);
    case HANDLE_TRANSACTION: return freehold_transaction_rollback(handle);
    case HANDLE_CURSOR: return freehold_cursor_close(handle);
    case HANDLE_INDEX_CURSOR: return freehold_index_cursor_close(handle);
    case HANDLE_LISTENER: return freehold_listener_close(handle);
    case HANDLE_LARGE_VALUE: return freehold_large_value_close(handle);
    case HANDLE_QUERY: return freehold_query_close(handle);
    case HANDLE_RESULTS: return freehold_results_close(handle);
    case HANDLE_GROUPS: return freehold_groups_close(handle);
    case HANDLE_COLLECTION: return freehold_collection_close(handle);
    case HANDLE_CHANGES: return freehold_changes_close(handle);
    case HANDLE_WATCH: return freehold_watch_close(handle);
    case HANDLE_PENDING: return freehold_pending_close(handle);
    /* Readers end with what they belong to. */
    default: return FREEHOLD_OK;
    }
}

/* Keeps a new handle, in the place of an older one. */
static void keep(int kind, void *handle)
{
    int place = (int)pick(KEPT);
    void *before = kept[kind][place];
    for (int other = 0; other < KEPT; other++)
        if (kept[kind][other] == handle) return;
    if (before != NULL) {
        end(kind, before);
        note_ended(before);
    }
    kept[kind][place] = handle;
}

/* Whether a handle can only be refused: NULL, one that has ended, one of another kind. Others may be good, or may not. */
static bool is_hopeless(int kind, void *handle)
{
    if (handle == NULL) return true;
    if (is_kept(kind, handle)) return false;
    for (int other = 0; other < HANDLE_KINDS; other++)
        if (is_kept(other, handle)) return true;
    for (unsigned place = 0; place < ENDED; place++)
        if (ended[place] == handle) return true;
    return false;
}

static void *pick_handle(int kind)
{
    uint32_t way = pick(40);
    if (way > 3) {
        uint32_t first = pick(KEPT), count;
        for (int place = 0; kind == HANDLE_READER && place < KEPT; place++)
            if (kept[kind][place] != NULL && freehold_class_count(kept[kind][place], &count) != FREEHOLD_OK) kept[kind][place] = NULL;
        for (uint32_t i = 0; i < KEPT; i++)
            if (kept[kind][(first + i) % KEPT] != NULL) return kept[kind][(first + i) % KEPT];
        return NULL;
    }
    if (way == 0) return NULL;
    if (way == 1) return ended_count ? ended[pick(ended_count < ENDED ? ended_count : ENDED)] : NULL;
    if (way == 2) return kept[pick(HANDLE_KINDS)][pick(KEPT)];
    /* Numbers of every size, and near those that are there. */
    if (pick(2)) return (void *)(uintptr_t)((uint64_t)(uintptr_t)kept[kind][pick(KEPT)] ^ (uint64_t)1 << pick(64));
    return (void *)(uintptr_t)(draw() >> pick(64));
}

/* -- numbers */

static uint32_t pick_number(void) { return pick(20) ? pick(6) : pick(2) ? UINT32_MAX - pick(2) : (uint32_t)draw(); }
static freehold_class_t pick_class(void) { return pick(3) ? 2 : pick_number(); }
static freehold_property_t pick_property(void) { return pick(20) ? pick(10) : pick_number(); }
static freehold_key_t pick_key(void) { return pick(12) ? (freehold_key_t)pick(60) : (int64_t)(draw() >> pick(64)) * (pick(2) ? 1 : -1); }
static uint64_t pick_count64(void) { return pick(10) ? pick(12) : draw() >> pick(64); }
/* The file that is used now. */
static char file[32] = "fuzz-0.freehold";
static unsigned worlds, worlds_whole;

static int64_t pick_timeout(void) { return pick(4) ? (int64_t)pick(2) : INT64_MIN + (int64_t)pick(3); }
static freehold_type_t pick_type(void) { return pick(12) ? pick(16) : (uint32_t)draw(); }
static freehold_durability_t pick_durability(void) { return pick(12) ? (int32_t)pick(2) : (int32_t)draw(); }
static freehold_error_code_t pick_code(void) { return (freehold_error_code_t)(draw() >> (32 + pick(31))); }
static freehold_decimal_t pick_decimal(void)
{
    freehold_decimal_t decimal = { draw() >> pick(64), pick(2) ? 0x3040000000000000u : draw() };
    return decimal;
}

/* How many there are of something: every array below and every output has room for this many, or for as many of as many. */
enum { ROOM = 8 };
static size_t pick_size(void) { return pick(8) ? pick(ROOM) : pick(2) ? 0 : 1; }

/* -- texts */

struct bytes {
    const char *bytes;
    size_t length;
};

static struct bytes pick_from(const char *const *texts, uint32_t count)
{
    struct bytes text;
    text.bytes = texts[pick(count)];
    text.length = pick(2) ? strlen(text.bytes) : FREEHOLD_TERMINATED;
    return text;
}

#define PICK_FROM(texts) pick_from(texts, (uint32_t)(sizeof texts / sizeof texts[0]))

static struct bytes pick_text(const char *name)
{
    static const char *const classes[] = { "Person", "Home", "Thing", "Other", "New" };
    static const char *const properties[] = { "id", "name", "age", "score", "tags", "links", "any", "home", "photo", "scores" };
    const char *const paths[] = { file, "copy.freehold", "other.freehold", "missing/x.freehold", "." , "" };
    static const char *const queries[] = {
        "age > 20", "name BEGINSWITH 'p' SORT(age DESC) LIMIT(3)", "ANY tags = 'a'", "GROUP(age) SELECT(@count)", "TRUEPREDICATE", "age = %@ OR name = $x",
        "home.rooms > 1", "any.@type = 'int'", "age > ", "((((((((", "score BETWEEN {1, 2}", "SUBQUERY(links, $l, $l.age > 1).@count > 0", "name LIKE '*1*'",
    };
    static const char *const decimals[] = { "1.5", "-0", "NaN", "1e6144", "123456789012345678901234567890123456789", "x" };
    static const char *const wrong[] = { "\xff\xfe", "a\xc3", "\xed\xa0\x80", "\xf8\x88\x80\x80\x80", "" };
    struct bytes text;
    switch (pick(24)) {
    case 0: return PICK_FROM(wrong);
    case 1:
        text.bytes = NULL;
        text.length = pick(2) ? 0 : pick(2) ? 5 : SIZE_MAX;
        return text;
    case 2: /* refused before anything is read */
        text.bytes = "long";
        text.length = ((size_t)1 << 31) + (size_t)(draw() >> 3);
        return text;
    default: break;
    }
    if (strstr(name, "class")) return pick(2) ? pick_from(classes, 1) : PICK_FROM(classes);
    if (strstr(name, "path") || strstr(name, "damaged")) return PICK_FROM(paths);
    if (!strcmp(name, "text")) {
        if (strstr(at, "decimal")) return PICK_FROM(decimals);
        return PICK_FROM(queries);
    }
    if (strstr(at, "class_")) return PICK_FROM(classes);
    return PICK_FROM(properties);
}

/* -- arrays; made anew at each pick, as calls may write to none of them */

static freehold_value_t values[4][ROOM * ROOM];
static unsigned values_at;

static freehold_value_t pick_value(int depth)
{
    static const char *const texts[] = { "a", "p1", "", "\xff", "a longer text that is not in line with anything, said twice: longer" };
    static const uint8_t bytes[32] = { 1, 2, 3 };
    static freehold_value_t elements[4][ROOM];
    static freehold_entry_t entries[4][ROOM];
    freehold_value_t value = freehold_null();
    switch (pick(depth < 3 ? 18 : 14)) {
    case 0: return value;
    case 1: return freehold_bool(pick(2));
    case 2:
    case 3: return freehold_int(pick_key());
    case 4: return freehold_float((float)pick_key());
    case 5: return freehold_double((double)pick_key() / 3);
    case 6:
    case 7: {
        struct bytes text = PICK_FROM(texts);
        return freehold_string(text.bytes, pick(30) ? text.length : ((size_t)1 << 31) + pick(9));
    }
    case 8: return freehold_data(pick(20) ? bytes : NULL, pick(32));
    case 9: return freehold_date(pick_key(), pick(8) ? (int32_t)pick(1000000000) : (int32_t)draw());
    case 10: return pick(2) ? freehold_uuid(bytes) : freehold_object_id(bytes);
    case 11: return pick(2) ? freehold_link(pick_key()) : freehold_object(pick_key(), pick_number());
    case 12: return freehold_decimal(pick_decimal());
    case 13:
        value = freehold_int(pick_key());
        value.type = pick_type();
        if (value.type >= FREEHOLD_TYPE_STRING) memset(&value.as, 0, sizeof value.as); /* addresses are the caller's */
        return value;
    case 14:
    case 15:
        for (int i = 0; i < ROOM; i++) elements[depth][i] = pick_value(depth + 1);
        return pick(3) ? freehold_list(elements[depth], pick(ROOM)) : freehold_set(elements[depth], pick(ROOM));
    default:
        for (int i = 0; i < ROOM; i++) {
            struct bytes key = PICK_FROM(texts);
            entries[depth][i].key.bytes = key.bytes;
            entries[depth][i].key.length = key.length;
            entries[depth][i].value = pick_value(depth + 1);
        }
        return freehold_map(entries[depth], pick(ROOM));
    }
}

static const freehold_value_t *pick_values(void)
{
    if (!pick(16)) return NULL;
    freehold_value_t *picked = values[values_at++ % 4];
    /* The first few alone have elements: what these point to is used again. */
    uint32_t alike = pick(4);
    for (int i = 0; i < ROOM * ROOM; i++)
        picked[i] = alike == 1 ? freehold_string("p", pick(2)) : alike == 2 ? freehold_int(pick(60)) : alike == 3 ? freehold_link(pick(60))
            : pick_value(i == 0 ? 0 : 3);
    return picked;
}

static const freehold_property_t *pick_properties(void)
{
    static freehold_property_t picked[ROOM];
    for (int i = 0; i < ROOM; i++) picked[i] = pick(10) ? (uint32_t)i : pick_number();
    return pick(8) ? picked : NULL;
}

static const freehold_key_t *pick_keys(void)
{
    static freehold_key_t picked[ROOM];
    for (int i = 0; i < ROOM; i++) picked[i] = pick_key();
    return pick(16) ? picked : NULL;
}

static const freehold_entry_t *pick_entries(void)
{
    static freehold_entry_t picked[ROOM];
    for (int i = 0; i < ROOM; i++) {
        struct bytes name = pick_text("key");
        picked[i].key.bytes = pick(4) ? "x" : name.bytes;
        picked[i].key.length = picked[i].key.bytes == name.bytes ? name.length : 1;
        picked[i].value = pick_value(3);
    }
    return pick(4) ? picked : NULL;
}

/* The largest size of a structure that is not refused. */
enum { LARGEST = 4096 };

/* A structure's size: usually right. */
static size_t pick_struct_size(size_t right)
{
    static const size_t wrong[] = { 0, 1, 7, 8, 12, 24, LARGEST, SIZE_MAX };
    return pick(12) ? right : wrong[pick(8)];
}

static const freehold_column_t *pick_columns(void)
{
    static freehold_column_t picked[ROOM];
    static int64_t integers[ROOM];
    static double reals[ROOM];
    static float singles[ROOM];
    static freehold_text_t texts[ROOM];
    static freehold_value_t mixed[ROOM];
    static uint8_t bytes[ROOM];
    static const freehold_type_t types[] = {
        FREEHOLD_TYPE_INT, FREEHOLD_TYPE_STRING, FREEHOLD_TYPE_INT, FREEHOLD_TYPE_DOUBLE, FREEHOLD_TYPE_MIXED, FREEHOLD_TYPE_MIXED, FREEHOLD_TYPE_MIXED, FREEHOLD_TYPE_MIXED,
    };
    for (int i = 0; i < ROOM; i++) {
        integers[i] = pick_key();
        reals[i] = (double)pick_key();
        singles[i] = (float)pick_key();
        texts[i].bytes = "p";
        texts[i].length = pick(2);
        mixed[i] = pick_value(3);
        bytes[i] = (uint8_t)pick(2);
    }
    /* All of one size: the first one's counts. */
    size_t size = pick(12) ? sizeof(freehold_column_t) : 0;
    for (int i = 0; i < ROOM; i++) {
        freehold_type_t type = pick(10) ? types[i] : pick_type();
        picked[i].size = size;
        picked[i].property = pick(10) ? (uint32_t)i : pick_number();
        picked[i].type = type;
        picked[i].values = type == FREEHOLD_TYPE_DOUBLE ? (const void *)reals : type == FREEHOLD_TYPE_FLOAT ? (const void *)singles
            : type == FREEHOLD_TYPE_MIXED ? (const void *)mixed : type == FREEHOLD_TYPE_STRING || type == FREEHOLD_TYPE_DATA ? (const void *)texts
            : type == FREEHOLD_TYPE_BOOL ? (const void *)bytes : (const void *)integers;
        if (!pick(20)) picked[i].values = NULL;
        picked[i].nulls = pick(2) ? bytes : NULL;
    }
    return pick(16) ? picked : NULL;
}

static const freehold_property_info_t *pick_property_infos(void)
{
    static freehold_property_info_t picked[ROOM];
    memset(picked, 0, sizeof picked);
    size_t size = pick(12) ? sizeof picked[0] : pick(2) ? 0 : 8;
    for (int i = 0; i < ROOM; i++) {
        struct bytes name = pick_text("name"), target = pick_text("class_name");
        picked[i].size = size;
        picked[i].name.bytes = name.bytes;
        picked[i].name.length = name.length;
        picked[i].type = pick_type();
        picked[i].flags = pick(8) ? 1u << pick(5) >> 1 : (uint32_t)draw();
        if (picked[i].type == FREEHOLD_TYPE_LINK || !pick(8)) {
            picked[i].link_target.bytes = target.bytes;
            picked[i].link_target.length = target.length;
        }
        picked[i].delete_rule = pick(8) ? 0 : pick_number();
        for (unsigned level = 0; level < pick(3); level++)
            picked[i].collections[level] = (uint8_t)(pick(8) ? FREEHOLD_TYPE_LIST + pick(3) : pick(256));
    }
    return pick(16) ? picked : NULL;
}

static const freehold_class_definition_t *pick_definitions(void)
{
    static freehold_class_definition_t picked[ROOM];
    memset(picked, 0, sizeof picked);
    size_t size = pick(12) ? sizeof picked[0] : 0;
    for (int i = 0; i < ROOM; i++) {
        struct bytes name = pick_text("class_name"), superclass = pick_text("class_name");
        picked[i].size = size;
        picked[i].name.bytes = name.bytes;
        picked[i].name.length = name.length;
        if (!pick(3)) {
            picked[i].superclass.bytes = superclass.bytes;
            picked[i].superclass.length = superclass.length;
        }
        picked[i].properties = pick_property_infos();
        picked[i].property_count = pick_size();
        picked[i].embedded = !pick(6);
    }
    return pick(16) ? picked : NULL;
}

/* Paths of properties, from a person or from a home. */
static const freehold_text_t *pick_paths(void)
{
    static const char *const paths[] = { "name", "home.rooms", "links.age", "rooms", "tags", "scores['x']", "age.name", "home..rooms", "@links.Person.links" };
    static freehold_text_t picked[ROOM];
    for (int i = 0; i < ROOM; i++) {
        struct bytes path = pick(8) ? PICK_FROM(paths) : pick_text("name");
        picked[i].bytes = path.bytes;
        picked[i].length = path.length;
    }
    return pick(16) ? picked : NULL;
}

static const uint8_t *pick_bytes(void)
{
    static const uint8_t bytes[FREEHOLD_KEY_LENGTH * 2] = { 1, 2, 3 };
    return pick(8) ? bytes : NULL;
}

static const freehold_open_options_t *pick_options(void)
{
    /* As large as the wrong sizes say that it is. */
    static union {
        freehold_open_options_t options;
        char room[LARGEST];
    } picked;
    if (!pick(2)) return NULL;
    memset(&picked, 0, sizeof picked);
    picked.options.size = pick_struct_size(sizeof picked.options);
    picked.options.read_only = !pick(4);
    picked.options.must_exist = !pick(2);
    picked.options.file_mode = pick(4) ? 0 : 0600;
    picked.options.lock_timeout_milliseconds = 1;
    if (!pick(6)) {
        picked.options.encryption_key = pick_bytes();
        picked.options.encryption_key_length = pick(2) ? FREEHOLD_KEY_LENGTH : pick(FREEHOLD_KEY_LENGTH);
    }
    return &picked.options;
}

/* -- what is written to */

static uint64_t outputs[10][4096];

static void *pick_out(int argument)
{
    if (!pick(10)) return NULL;
    uint64_t *place = outputs[argument];
    /* Some are read before: where to go on, for one. */
    for (int i = 0; i < 4; i++) place[i] = (uint64_t)pick_key();
    return place;
}

/* A structure whose size says what of it may be written. */
static void *pick_sized(void)
{
    static uint64_t place[1024];
    if (!pick(10)) return NULL;
    memset(place, 0, sizeof place);
    *(size_t *)place = pick_struct_size(sizeof(freehold_property_info_t));
    return place;
}

/* -- callbacks */

static void hear_problem(void *context, const freehold_check_problem_t *problem) { CHECK(context == NULL && problem != NULL); }
static void hear_sentence(void *context, const char *text) { CHECK(context == NULL && text != NULL); }
static void hear_holder(void *context, const freehold_holder_t *holder) { CHECK(context == NULL && holder != NULL); }

static void call_any(void);

/* Now and then does something else meanwhile, to what is being written too. */
static bool hear_text(void *context, const char *bytes, size_t length)
{
    static bool is_calling;
    CHECK(context == NULL && (bytes != NULL || length == 0));
    if (!is_calling && !pick(4)) {
        is_calling = true;
        for (uint32_t count = pick(4); count > 0; count--) call_any();
        is_calling = false;
    }
    return pick(20) != 0;
}

static void hear_record(void *context, uint64_t line, const char *message)
{
    (void)line;
    CHECK(context == NULL && message != NULL);
}

static const char *const records[] = {
    "{\"id\": 3, \"name\": \"c\"}", "[{\"id\": 70, \"age\": 1, \"tags\": [\"x\"]}]", "{\"id\": ", "[]", "{\"a\": {\"b\": [1, {\"c\": null}]}}", "\xff", "",
};

/* One text, then its end; now and then more than fits, or an errno. */
static int64_t give_text(void *context, char *buffer, size_t capacity)
{
    static bool is_given;
    CHECK(context == NULL);
    is_given = !is_given;
    if (!pick(12)) return pick(2) ? -5 : INT64_MIN;
    if (!is_given) return 0;
    const char *text = records[pick(sizeof records / sizeof records[0])];
    size_t length = strlen(text);
    if (length > capacity) length = capacity;
    memcpy(buffer, text, length);
    return (int64_t)length;
}

/* What a migration refused with. */
static freehold_error_code_t own_code;

static freehold_error_code_t migrate(void *context, freehold_transaction_t *transaction, uint64_t file_version, uint64_t version)
{
    CHECK(context == NULL && file_version < version);
    freehold_schema_set_version(transaction, version + pick(2));
    return own_code = pick(4) ? FREEHOLD_OK : pick_code();
}

static const freehold_json_options_t *pick_json_options(void)
{
    /* As large as the wrong sizes say that it is. */
    static union {
        freehold_json_options_t options;
        char room[LARGEST];
    } picked;
    memset(&picked, 0, sizeof picked);
    struct bytes key = pick_text("name");
    picked.options.size = pick_struct_size(sizeof picked.options);
    picked.options.primary_key.bytes = key.bytes;
    picked.options.primary_key.length = key.length;
    picked.options.skip_bad_records = pick(2);
    return pick(2) ? &picked.options : NULL;
}

static bool convert(void *context, freehold_value_t *value)
{
    CHECK(context == NULL);
    *value = pick_value(3);
    return pick(4) != 0;
}

static void hear_delivery(void *context, const freehold_delivery_t *delivery)
{
    CHECK(context == NULL && delivery != NULL);
    if (delivery->after != NULL) {
        uint32_t count;
        freehold_class_count(delivery->after, &count);
    }
}

/* -- judging */

struct function {
    const char *name;
    void (*call)(void);
    uint32_t weight;
};

static unsigned long *successes;
static size_t running;

/* `is_refused`: the call had nothing to work with. */
static void judge(freehold_error_code_t code, bool is_refused)
{
    const bool is_own = own_code != FREEHOLD_OK && code == own_code;
    CHECK(!is_refused || code >= 1000);
    if (code == FREEHOLD_OK) successes[running]++;
    own_code = FREEHOLD_OK;
    if (is_own) {
        CHECK(freehold_last_error(NULL) == code);
        return;
    }
    CHECK(code >= 0 && code < 6000);
    if (code >= 1000) {
        freehold_error_t error = { .size = sizeof error };
        CHECK(strcmp(freehold_error_name(code), "UNKNOWN"));
        CHECK(freehold_last_error(&error) == code && error.message != NULL && error.message[0] != 0 && error.path != NULL);
    }
}

#include "calls.inc"

enum { FUNCTIONS = sizeof functions / sizeof functions[0] };

static uint64_t tried[FUNCTIONS];

/* Calls a function, with what its weight gives it of the chance. */
static void call_any(void)
{
    const size_t outer = running;
    const char *outer_name = at;
    uint32_t weights = 0;
    for (size_t i = 0; i < FUNCTIONS; i++) weights += functions[i].weight;
    uint32_t chosen = pick(weights);
    for (running = 0; chosen >= functions[running].weight; running++) chosen -= functions[running].weight;
    at = functions[running].name;
    tried[running]++;
    functions[running].call();
    running = outer;
    at = outer_name;
}

/* -- the world */

static freehold_property_info_t described(const char *name, freehold_type_t type, uint32_t flags, const char *target, uint8_t collection)
{
    freehold_property_info_t info;
    memset(&info, 0, sizeof info);
    info.size = sizeof info;
    info.name.bytes = name;
    info.name.length = FREEHOLD_TERMINATED;
    info.type = type;
    info.flags = flags;
    info.link_target.bytes = target;
    info.link_target.length = target ? FREEHOLD_TERMINATED : 0;
    info.collections[0] = collection;
    return info;
}

static void end_all(void)
{
    for (int kind = HANDLE_KINDS - 1; kind >= 0; kind--)
        for (int place = 0; place < KEPT; place++)
            if (kept[kind][place] != NULL) {
                void *handle = kept[kind][place];
                end(kind, handle);
                note_ended(handle);
            }
}

#define OPEN(kind, place, type, call) \
    do { \
        type *made = NULL; \
        CHECK((call) == FREEHOLD_OK && made != NULL); \
        kept[kind][place] = made; \
    } while (0)

/* A list, a set, and a list in a mixed value. */
static void open_collections(const freehold_reader_t *reader, int first)
{
    static const freehold_property_t properties[] = { 4, 5, 6 };
    for (int i = 0; i < 3; i++) OPEN(HANDLE_COLLECTION, first + i, freehold_collection_t, freehold_collection_open(reader, 2, 7, properties[i], &made));
}

static void open_some(freehold_database_t *database, freehold_snapshot_t *snapshot, const freehold_reader_t *reader)
{
    OPEN(HANDLE_SNAPSHOT, 1, freehold_snapshot_t, freehold_snapshot_begin(database, &made));
    OPEN(HANDLE_CURSOR, 0, freehold_cursor_t, freehold_cursor_open(reader, 2, 3, NULL, &made));
    OPEN(HANDLE_INDEX_CURSOR, 0, freehold_index_cursor_t, freehold_index_cursor_open(reader, 2, 2, NULL, NULL, true, &made));
    OPEN(HANDLE_LISTENER, 0, freehold_listener_t, freehold_listener_open(database, &made));
    OPEN(HANDLE_LARGE_VALUE, 0, freehold_large_value_t, freehold_large_value_open(database, 0, &made));
    OPEN(HANDLE_WATCH, 0, freehold_watch_t, freehold_watch_open(database, &made));
    OPEN(HANDLE_CHANGES, 0, freehold_changes_t, freehold_changes_open(snapshot, kept[HANDLE_SNAPSHOT][1], "Person", 6, &made));
    OPEN(HANDLE_QUERY, 0, freehold_query_t, freehold_query_prepare(reader, 2, "age > 20", 8, 0, NULL, 0, NULL, &made));
    OPEN(HANDLE_QUERY, 1, freehold_query_t, freehold_query_prepare(reader, 2, "GROUP(age) SELECT(@count)", 25, 0, NULL, 0, NULL, &made));
    OPEN(HANDLE_RESULTS, 0, freehold_results_t, freehold_query_run(kept[HANDLE_QUERY][0], &made));
    OPEN(HANDLE_GROUPS, 0, freehold_groups_t, freehold_query_groups(kept[HANDLE_QUERY][1], &made));
    OPEN(HANDLE_COLLECTION, 0, freehold_collection_t, freehold_collection_open(reader, 2, 7, 4, &made));
}

/* Ends what was used, and looks at the file: it is whole, or a call has deleted it or given it a key. */
static void check_world(void)
{
    at = "the end of the world";
    end_all();
    freehold_database_t *database = NULL;
    freehold_check_report_t report = { .size = sizeof report };
    freehold_open_options_t options = { .size = sizeof options, .must_exist = true };
    freehold_error_code_t code = freehold_database_open(file, FREEHOLD_TERMINATED, &options, &database);
    if (code == FREEHOLD_ERROR_NOT_FOUND || code == FREEHOLD_ERROR_WRONG_KEY) return;
    CHECK(code == FREEHOLD_OK);
    CHECK(freehold_database_check(database, &report, hear_problem, NULL) == FREEHOLD_OK && report.problem_count == 0);
    CHECK(freehold_database_close(database) == FREEHOLD_OK);
    worlds_whole++;
}

/* One handle of each kind, on a file of two classes and fifty objects. */
static void begin_anew(void)
{
    if (worlds > 0) check_world();
    at = "the making of the world";
    freehold_database_t *database = NULL;
    freehold_transaction_t *transaction = NULL;
    freehold_snapshot_t *snapshot = NULL;
    freehold_open_options_t options = { .size = sizeof options, .lock_timeout_milliseconds = 2 };
    /* What was under way may keep the file open for a moment, so the next one has another name. */
    freehold_error_code_t code = freehold_database_delete_files(file, FREEHOLD_TERMINATED, false);
    snprintf(file, sizeof file, "fuzz-%u.freehold", ++worlds);
    CHECK(code == FREEHOLD_OK || code == FREEHOLD_ABSENT || code == FREEHOLD_ERROR_NOT_FOUND || code == FREEHOLD_ERROR_IN_USE);
    CHECK(freehold_database_open(file, FREEHOLD_TERMINATED, &options, &database) == FREEHOLD_OK);
    CHECK(freehold_transaction_begin(database, 2, &transaction) == FREEHOLD_OK);
    const freehold_property_info_t rooms[] = { described("rooms", FREEHOLD_TYPE_INT, 0, NULL, 0), described("street", FREEHOLD_TYPE_STRING, 1, NULL, 0) };
    const freehold_property_info_t person[] = {
        described("id", FREEHOLD_TYPE_INT, FREEHOLD_PROPERTY_PRIMARY_KEY, NULL, 0), described("name", FREEHOLD_TYPE_STRING, FREEHOLD_PROPERTY_INDEXED, NULL, 0),
        described("age", FREEHOLD_TYPE_INT, FREEHOLD_PROPERTY_INDEXED, NULL, 0), described("score", FREEHOLD_TYPE_DOUBLE, FREEHOLD_PROPERTY_NULLABLE, NULL, 0),
        described("tags", FREEHOLD_TYPE_STRING, 0, NULL, FREEHOLD_TYPE_LIST), described("links", FREEHOLD_TYPE_LINK, 0, "Person", FREEHOLD_TYPE_SET),
        described("any", FREEHOLD_TYPE_MIXED, 0, NULL, 0), described("home", FREEHOLD_TYPE_LINK, 0, "Home", 0),
        described("photo", FREEHOLD_TYPE_DATA, FREEHOLD_PROPERTY_NULLABLE, NULL, 0), described("scores", FREEHOLD_TYPE_DOUBLE, 0, NULL, FREEHOLD_TYPE_MAP),
    };
    const freehold_property_info_t thing[] = { described("name", FREEHOLD_TYPE_STRING, 0, NULL, 0), described("photo", FREEHOLD_TYPE_DATA, 1, NULL, 0) };
    CHECK(freehold_class_create(transaction, "Thing", 5, 2, thing, NULL) == FREEHOLD_OK);
    const freehold_class_definition_t home = { sizeof home, { "Home", 4 }, { NULL, 0 }, 2, rooms, true };
    CHECK(freehold_classes_create(transaction, 1, &home) == FREEHOLD_OK);
    CHECK(freehold_class_create(transaction, "Person", 6, 10, person, NULL) == FREEHOLD_OK);
    for (int id = 0; id < 50; id++) {
        char name[16];
        const freehold_value_t made[] = {
            freehold_int(id), freehold_string(name, (size_t)snprintf(name, sizeof name, "p%d", id)), freehold_int(id % 30), freehold_double(id),
        };
        CHECK(freehold_object_create(transaction, 2, made, 4, NULL, made, NULL) == FREEHOLD_OK);
        CHECK(freehold_object_create(transaction, 0, NULL, 1, NULL, made + 1, NULL) == FREEHOLD_OK);
    }
    const freehold_value_t tags[] = { freehold_string("a", 1), freehold_string("b", 1), freehold_string("c", 1) }, inner = freehold_list(tags, 3);
    const freehold_value_t links[] = { freehold_link(1), freehold_link(2) };
    const freehold_value_t held[] = { freehold_list(tags, 3), freehold_set(links, 2), freehold_list(&inner, 1) };
    static const freehold_property_t places[] = { 4, 5, 6 };
    CHECK(freehold_object_set(transaction, 2, 7, 3, places, held) == FREEHOLD_OK);
    CHECK(freehold_transaction_commit(transaction, FREEHOLD_DURABILITY_PROCESS_CRASH, NULL) == FREEHOLD_OK);
    CHECK(freehold_snapshot_begin(database, &snapshot) == FREEHOLD_OK);
    kept[HANDLE_DATABASE][0] = database;
    kept[HANDLE_SNAPSHOT][0] = snapshot;
    const freehold_reader_t *reader = freehold_snapshot_reader(snapshot);
    kept[HANDLE_READER][0] = (void *)reader;
    open_some(database, snapshot, reader);
    CHECK(freehold_transaction_begin(database, 2, &transaction) == FREEHOLD_OK);
    kept[HANDLE_TRANSACTION][0] = transaction;
    kept[HANDLE_READER][1] = (void *)freehold_transaction_reader(transaction);
    open_collections(freehold_transaction_reader(transaction), 1);
}

int main(int count, char **arguments)
{
    if (count < 2 || chdir(arguments[1]) != 0) {
        fprintf(stderr, "fuzz FOLDER [SEED [CALLS]]\n");
        return 2;
    }
    /* Under valgrind, which makes a file fifty times as slowly, a thirtieth of the calls has to do. */
    const bool is_slow = getenv("FREEHOLD_TEST_WRAPPER") != NULL && getenv("FREEHOLD_TEST_WRAPPER")[0] != 0;
    state = seed = count > 2 ? strtoull(arguments[2], NULL, 10) : 1;
    uint64_t calls = count > 3 ? strtoull(arguments[3], NULL, 10) : is_slow ? 3000 : 100000;
    successes = calloc(FUNCTIONS, sizeof *successes);
    for (calls_made = 0; calls_made < calls; calls_made++) {
        if (calls_made % 500 == 0) begin_anew();
        call_any();
    }
    check_world();
    CHECK(worlds_whole * 2 >= worlds);
    size_t succeeded = 0, judged = 0;
    for (size_t i = 0; i < FUNCTIONS; i++) {
        judged += tried[i] > 0;
        succeeded += successes[i] > 0;
        if (getenv("FUZZ_TELL")) printf("%8llu tried %8lu succeeded %s\n", (unsigned long long)tried[i], successes[i], functions[i].name);
    }
    printf("%llu calls of %zu functions, of which %zu have succeeded (seed %llu)\n", (unsigned long long)calls, judged, succeeded, (unsigned long long)seed);
    free(successes);
    return calls < 50000 || (judged == FUNCTIONS && succeeded * 10 >= FUNCTIONS * 9) ? 0 : 1;
}
