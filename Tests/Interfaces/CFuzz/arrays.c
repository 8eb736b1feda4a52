/* Arguments: values, and arrays of what there is; made anew at each pick, as calls may write to none of them. */
#include "fuzz.h"
#include <string.h>

static freehold_value_t values[4][ROOM * ROOM];
static unsigned values_at;

freehold_value_t pick_value(int depth)
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

const freehold_value_t *pick_values(void)
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

const freehold_property_t *pick_properties(void)
{
    static freehold_property_t picked[ROOM];
    for (int i = 0; i < ROOM; i++) picked[i] = pick(10) ? (uint32_t)i : pick_number();
    return pick(8) ? picked : NULL;
}

const freehold_key_t *pick_keys(void)
{
    static freehold_key_t picked[ROOM];
    for (int i = 0; i < ROOM; i++) picked[i] = pick_key();
    return pick(16) ? picked : NULL;
}

const freehold_entry_t *pick_entries(void)
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

const freehold_column_t *pick_columns(void)
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

const freehold_property_info_t *pick_property_infos(void)
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
        picked[i].flags = pick(8) ? 1u << pick(7) >> 1 : (uint32_t)draw();
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

const freehold_class_definition_t *pick_definitions(void)
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
        picked[i].sync = pick(6) ? 0 : pick(4);
    }
    return pick(16) ? picked : NULL;
}

const freehold_index_field_t *pick_index_fields(void)
{
    static const char *const paths[] = { "name", "home.street", "score", "home", "any", "home.rooms", "name.age", "." };
    static const double weights[] = { 0, 1, 0.5, 255, 256, -1, 1e300 };
    static freehold_index_field_t picked[ROOM];
    for (int i = 0; i < ROOM; i++) {
        struct bytes path = pick(12) ? pick_from(paths, pick(3) ? 2 : 8) : pick_text("name");
        picked[i].path.bytes = path.bytes;
        picked[i].path.length = path.length;
        picked[i].weight = weights[pick(pick(4) ? 3 : 7)];
    }
    return pick(16) ? picked : NULL;
}

const freehold_text_t *pick_paths(void)
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
