/* Values of any type, 24 bytes each. */
#ifndef FREEHOLD_VALUE_H
#define FREEHOLD_VALUE_H

#include "base.h"
#include "error.h"
#include <string.h>

FREEHOLD_BEGIN

/* The type of a property, or of a value (which may also be null). */
typedef uint32_t freehold_type_t;
enum {
    FREEHOLD_TYPE_NULL = 0,
    FREEHOLD_TYPE_BOOL = 1,
    FREEHOLD_TYPE_INT = 2,
    FREEHOLD_TYPE_FLOAT = 3,
    FREEHOLD_TYPE_DOUBLE = 4,
    FREEHOLD_TYPE_STRING = 5,
    FREEHOLD_TYPE_DATA = 6,
    FREEHOLD_TYPE_DATE = 7,
    FREEHOLD_TYPE_UUID = 8,
    FREEHOLD_TYPE_OBJECT_ID = 9,
    FREEHOLD_TYPE_LINK = 10,
    FREEHOLD_TYPE_DECIMAL = 11,
    /* For a property only: its values are of any type, and its links lead to any class. */
    FREEHOLD_TYPE_MIXED = 12,
    /* For a value only: elements in the order given. */
    FREEHOLD_TYPE_LIST = 33,
    /* For a value only: distinct elements, in the order of their values; given in any order. */
    FREEHOLD_TYPE_SET = 34,
    /* For a value only: elements with a string key each, in the order of the keys' bytes; given in any order. */
    FREEHOLD_TYPE_MAP = 35
};

/* A value of any type, defined below. */
typedef struct freehold_value freehold_value_t;
/* A key and value of a map, defined below. */
typedef struct freehold_entry freehold_entry_t;

/* Bytes of any kind; for their lifetime see "Text" in freehold.h. */
typedef struct {
    const uint8_t *bytes;
    size_t length;
} freehold_data_t;

/* A point in time: seconds since 1970-01-01 00:00 UTC, and 0 to 999,999,999 nanoseconds after them. */
typedef struct {
    int64_t seconds;
    int32_t nanoseconds;
} freehold_date_t;

/* A decimal number of up to 34 digits: the 16 bytes of IEEE 754-2008's decimal128 in its binary integer encoding. On
 * x86-64 and AArch64 Linux that is the representation of the compilers' _Decimal128. */
typedef struct {
    uint64_t low;
    uint64_t high;
} freehold_decimal_t;

/* A link to an object of a class. In a value to be set, the class may be left out (FREEHOLD_NONE): a link property
 * knows its target, a mixed property does not. */
typedef struct {
    freehold_key_t key;
    freehold_class_t object_class;
} freehold_link_t;

/* The elements of a list or a set. Elements that the library returns are valid as long as text is. */
typedef struct {
    const freehold_value_t *values;
    size_t count;
} freehold_values_t;

/* The elements of a map. */
typedef struct {
    const freehold_entry_t *entries;
    size_t count;
} freehold_entries_t;

/* A value of any type: `type` says which member of the union is set. */
struct freehold_value {
    union {
        bool boolean;
        int64_t integer;
        float single;
        double real;
        freehold_text_t string;
        freehold_data_t data;
        freehold_date_t date;
        /* In the order of the text form. */
        uint8_t uuid[16];
        uint8_t object_id[12];
        freehold_link_t link;
        freehold_decimal_t decimal;
        /* For lists and sets. */
        freehold_values_t list;
        freehold_entries_t map;
    } as;
    freehold_type_t type;
};

struct freehold_entry {
    freehold_text_t key;
    freehold_value_t value;
};

/* Null. */
static inline freehold_value_t freehold_null(void)
{
    freehold_value_t value;
    memset(&value, 0, sizeof value);
    return value;
}

/* True or false. */
static inline freehold_value_t freehold_bool(bool boolean)
{
    freehold_value_t value = freehold_null();
    value.type = FREEHOLD_TYPE_BOOL;
    value.as.boolean = boolean;
    return value;
}

/* An integer. Float and double properties also accept it if no precision is lost. */
static inline freehold_value_t freehold_int(int64_t integer)
{
    freehold_value_t value = freehold_null();
    value.type = FREEHOLD_TYPE_INT;
    value.as.integer = integer;
    return value;
}

/* A 32-bit real. Double properties also accept it. */
static inline freehold_value_t freehold_float(float single)
{
    freehold_value_t value = freehold_null();
    value.type = FREEHOLD_TYPE_FLOAT;
    value.as.single = single;
    return value;
}

/* A 64-bit real. */
static inline freehold_value_t freehold_double(double real)
{
    freehold_value_t value = freehold_null();
    value.type = FREEHOLD_TYPE_DOUBLE;
    value.as.real = real;
    return value;
}

/* A string of `length` bytes, or a terminated one (FREEHOLD_TERMINATED). Not copied: the bytes must stay valid until
 * the call. */
static inline freehold_value_t freehold_string(const char *bytes, size_t length)
{
    freehold_value_t value = freehold_null();
    value.type = FREEHOLD_TYPE_STRING;
    value.as.string.bytes = bytes;
    value.as.string.length = length;
    return value;
}

/* Bytes. Not copied: they must stay valid until the call. */
static inline freehold_value_t freehold_data(const void *bytes, size_t length)
{
    freehold_value_t value = freehold_null();
    value.type = FREEHOLD_TYPE_DATA;
    value.as.data.bytes = (const uint8_t *)bytes;
    value.as.data.length = length;
    return value;
}

/* A point in time. */
static inline freehold_value_t freehold_date(int64_t seconds, int32_t nanoseconds)
{
    freehold_value_t value = freehold_null();
    value.type = FREEHOLD_TYPE_DATE;
    value.as.date.seconds = seconds;
    value.as.date.nanoseconds = nanoseconds;
    return value;
}

/* A UUID. */
static inline freehold_value_t freehold_uuid(const uint8_t bytes[16])
{
    freehold_value_t value = freehold_null();
    value.type = FREEHOLD_TYPE_UUID;
    memcpy(value.as.uuid, bytes, 16);
    return value;
}

/* An ObjectId. */
static inline freehold_value_t freehold_object_id(const uint8_t bytes[12])
{
    freehold_value_t value = freehold_null();
    value.type = FREEHOLD_TYPE_OBJECT_ID;
    memcpy(value.as.object_id, bytes, 12);
    return value;
}

/* A link to the object with this key, of the class that the property links to. */
static inline freehold_value_t freehold_link(freehold_key_t key)
{
    freehold_value_t value = freehold_null();
    value.type = FREEHOLD_TYPE_LINK;
    value.as.link.key = key;
    value.as.link.object_class = FREEHOLD_NONE;
    return value;
}

/* A link from a mixed property, to the object with this key of any class. */
static inline freehold_value_t freehold_object(freehold_key_t key, freehold_class_t object_class)
{
    freehold_value_t value = freehold_link(key);
    value.as.link.object_class = object_class;
    return value;
}

/* A decimal number. */
static inline freehold_value_t freehold_decimal(freehold_decimal_t decimal)
{
    freehold_value_t value = freehold_null();
    value.type = FREEHOLD_TYPE_DECIMAL;
    value.as.decimal = decimal;
    return value;
}

/* A list of values. Not copied: they must stay valid until the call. */
static inline freehold_value_t freehold_list(const freehold_value_t *values, size_t count)
{
    freehold_value_t value = freehold_null();
    value.type = FREEHOLD_TYPE_LIST;
    value.as.list.values = values;
    value.as.list.count = count;
    return value;
}

/* A set of values. Not copied: they must stay valid until the call. */
static inline freehold_value_t freehold_set(const freehold_value_t *values, size_t count)
{
    freehold_value_t value = freehold_list(values, count);
    value.type = FREEHOLD_TYPE_SET;
    return value;
}

/* A map of entries. Not copied: they must stay valid until the call. */
static inline freehold_value_t freehold_map(const freehold_entry_t *entries, size_t count)
{
    freehold_value_t value = freehold_null();
    value.type = FREEHOLD_TYPE_MAP;
    value.as.map.entries = entries;
    value.as.map.count = count;
    return value;
}

/* Parses a decimal number: digits with or without a point, an exponent, or NaN, Infinity in any case; more than 34
 * digits are rounded. FREEHOLD_ERROR_MALFORMED_INPUT if the text is not a decimal number. */
FREEHOLD_API freehold_error_code_t freehold_decimal_parse(const char *text, size_t text_length, freehold_decimal_t *decimal);

/* The maximum size of a decimal number's text, its terminating zero included. */
#define FREEHOLD_DECIMAL_TEXT 48

/* Formats a decimal number as terminated text, which parses back to exactly the same digits.
 *
 *     char text[FREEHOLD_DECIMAL_TEXT];
 *     freehold_decimal_format(value.as.decimal, text, sizeof text);
 */
FREEHOLD_API freehold_error_code_t freehold_decimal_format(freehold_decimal_t decimal, char *buffer, size_t buffer_size);

FREEHOLD_END
#endif
