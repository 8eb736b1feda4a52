/* Full-text indexes, indexes of places, of vectors and in a collation. By them queries find sooner what they find without
 * them, object by object: `TEXT`, with the order by `@score`, `GEOWITHIN`, `NEAREST` and `SORT` with `COLLATE`. */
#ifndef FREEHOLD_DERIVED_INDEX_H
#define FREEHOLD_DERIVED_INDEX_H

#include "base.h"
#include "error.h"
#include "schema.h"

FREEHOLD_BEGIN

/* What an index has of each object. */
typedef uint32_t freehold_index_kind_t;
enum {
    /* The words of strings, for `TEXT`. */
    FREEHOLD_INDEX_FULL_TEXT = 1,
    /* A place on Earth, for `GEOWITHIN`. */
    FREEHOLD_INDEX_PLACES = 2,
    /* A string, in the order of a language, for `COLLATE`. */
    FREEHOLD_INDEX_COLLATION = 3,
    /* The signs of the numbers of a rotated vector, for `NEAREST`. */
    FREEHOLD_INDEX_VECTORS = 4
};

/* How the numbers of a vector are stored, one after the other, little-endian. */
typedef uint32_t freehold_vector_elements_t;
enum {
    /* Floats of 4 bytes, floats of half precision of 2 bytes, signed bytes. */
    FREEHOLD_VECTOR_FLOAT32 = 0,
    FREEHOLD_VECTOR_FLOAT16 = 1,
    FREEHOLD_VECTOR_INT8 = 2
};

/* What makes two vectors near. */
typedef uint32_t freehold_vector_metric_t;
enum {
    FREEHOLD_VECTOR_COSINE = 0,
    FREEHOLD_VECTOR_DOT = 1,
    FREEHOLD_VECTOR_EUCLIDEAN = 2
};

/* Whether an index answers queries. Only a complete one does; otherwise queries search object by object. */
typedef uint32_t freehold_index_state_t;
enum {
    FREEHOLD_INDEX_COMPLETE = 0,
    /* It does not have all objects yet: freehold_database_build_indexes adds them. */
    FREEHOLD_INDEX_BUILDING = 1,
    /* An older program made it, or one with another stemmer or an older ICU, in another way:
     * freehold_database_build_indexes builds it anew. */
    FREEHOLD_INDEX_OLDER = 2,
    /* A newer program made it: this one cannot use it, nor write to the class. Or a newer ICU made it: then writing is
     * possible, and empties it until a program with such an ICU builds it. */
    FREEHOLD_INDEX_NEWER = 3,
    /* It has a language, for which this machine lacks the library: libstemmer (then TEXT is an error) or ICU. Writing is
     * possible, and leaves the index to be built anew by a program on a machine that has it. */
    FREEHOLD_INDEX_UNAVAILABLE = 4
};

/* A property that an index is over. */
typedef struct {
    /* A property of the class, or of the object that a to-one link leads to: `author.name`. */
    freehold_text_t path;
    /* How much it counts in the scores of a full-text search: from 1/256 to 255; 0 given is 1. For indexes of places it
     * has no meaning, and is returned as 1. */
    double weight;
} freehold_index_field_t;

/* A full-text index, an index of places, of vectors or in a collation. */
typedef struct {
    size_t size;
    freehold_index_kind_t kind;
    freehold_index_state_t state;
    /* Percent of the objects that it has. */
    uint32_t percent;
    uint32_t field_count;
    /* The number of objects that it has. The objects created last, at most 255, are in no index; queries read them
     * directly. */
    uint64_t documents;
    /* The number of words of a full-text index; 0 for others. */
    uint64_t words;
    freehold_index_field_t fields[FREEHOLD_INDEX_LENGTH];
    /* Of an index of vectors; 0 for others. */
    freehold_vector_elements_t elements;
    freehold_vector_metric_t metric;
    uint64_t dimensions;
    /* The language of a full-text index, empty for words as they are; of an index in a collation the language and its
     * options, as a BCP 47 tag; empty for others. Borrowed as the paths. */
    freehold_text_t language;
} freehold_derived_index_info_t;

/* Adds a full-text index over string properties to a class. If the class has one over the same properties, that gets
 * the weights, and is not built again. The commit builds it for up to 20,000 objects, and
 * freehold_database_build_indexes for the others. From that commit on, programs that do not know full-text indexes can
 * read the file, and not write it.
 *
 *     const freehold_index_field_t fields[] = { { { "title", 5 }, 0 }, { { "body", 4 }, 0.5 } };
 *     freehold_class_add_full_text_index(transaction, article, 2, fields);
 *
 * Errors: FREEHOLD_ERROR_UNKNOWN_PROPERTY; FREEHOLD_ERROR_INVALID_ARGUMENT for properties that are no strings, and
 * weights out of range. */
FREEHOLD_API freehold_error_code_t freehold_class_add_full_text_index(
    freehold_transaction_t *transaction, freehold_class_t object_class, size_t count, const freehold_index_field_t *fields);

/* Adds a full-text index as freehold_class_add_full_text_index does, in which a word of a search finds all forms of the
 * word in a language: `english`, or another one that docs/full-text.md names. An index over the same properties in
 * another language, or without one, is dropped and built anew. It needs the library libstemmer where it is built and
 * searched; without it FREEHOLD_INDEX_UNAVAILABLE is its state. Programs that do not know languages of indexes can read
 * the file from then on, and not write it.
 *
 * Errors as of freehold_class_add_full_text_index; FREEHOLD_ERROR_INVALID_ARGUMENT for other languages. */
FREEHOLD_API freehold_error_code_t freehold_class_add_full_text_index_in(
    freehold_transaction_t *transaction, freehold_class_t object_class, size_t count, const freehold_index_field_t *fields,
    const char *language, size_t language_length);

/* Drops the full-text index of a class over these properties, in any order and whatever their weights.
 * FREEHOLD_ERROR_INVALID_ARGUMENT if the class itself has none. */
FREEHOLD_API freehold_error_code_t freehold_class_drop_full_text_index(
    freehold_transaction_t *transaction, freehold_class_t object_class, size_t count, const freehold_index_field_t *fields);

/* Adds an index of places to a class; if the class has that one, nothing changes. Two fields are a latitude and a
 * longitude, which are doubles, or the `type` and the `coordinates` of one object; one field is the to-one link that
 * leads to an object with these two; without a field the class itself has them. It is built as full-text indexes are,
 * and programs that do not know indexes of places can read the file from then on, and not write it.
 *
 *     const freehold_index_field_t link = { { "location", 8 }, 0 };
 *     freehold_class_add_place_index(transaction, cafe, 1, &link);
 *
 * Errors: FREEHOLD_ERROR_UNKNOWN_PROPERTY; FREEHOLD_ERROR_INVALID_ARGUMENT for properties of other types. */
FREEHOLD_API freehold_error_code_t freehold_class_add_place_index(
    freehold_transaction_t *transaction, freehold_class_t object_class, size_t count, const freehold_index_field_t *fields);

/* Drops the index of places that freehold_class_add_place_index adds with these fields.
 * FREEHOLD_ERROR_INVALID_ARGUMENT if the class itself has none. */
FREEHOLD_API freehold_error_code_t freehold_class_drop_place_index(
    freehold_transaction_t *transaction, freehold_class_t object_class, size_t count, const freehold_index_field_t *fields);

/* Adds an index of the vectors in a property of type data; if the class has this one, nothing changes. Queries with the
 * same elements, metric and number of dimensions use it; values of other lengths are not in it, and may be stored. It is
 * built as full-text indexes are, and programs that do not know indexes of vectors can read the file from then on, and not
 * write it. docs/vectors.md says what it costs and finds.
 *
 * Errors: FREEHOLD_ERROR_UNKNOWN_PROPERTY; FREEHOLD_ERROR_INVALID_ARGUMENT for a property of another type, for dimensions
 * that are not from 1 to 65,535, and if the class has another index over the property. */
FREEHOLD_API freehold_error_code_t freehold_class_add_vector_index(
    freehold_transaction_t *transaction, freehold_class_t object_class, freehold_property_t property, size_t dimensions,
    freehold_vector_elements_t elements, freehold_vector_metric_t metric);

/* Drops the index of vectors over a property. FREEHOLD_ERROR_INVALID_ARGUMENT if the class itself has none. */
FREEHOLD_API freehold_error_code_t freehold_class_drop_vector_index(
    freehold_transaction_t *transaction, freehold_class_t object_class, freehold_property_t property);

/* Adds an index of a string property in the order of a language, which is a BCP 47 tag: `de`, `en-u-kn`. If the class has
 * this one, nothing changes. `SORT(name COLLATE "de")` uses it for the first of many objects, or most of them. It is built
 * as full-text indexes are, and programs that do not know indexes in a collation can read the file from then on, and not
 * write it. docs/collation.md says what programs with different versions of ICU do.
 *
 * Errors: FREEHOLD_ERROR_UNKNOWN_PROPERTY; FREEHOLD_ERROR_INVALID_ARGUMENT for a property of another type;
 * FREEHOLD_ERROR_MALFORMED_INPUT for a language that ICU does not know; FREEHOLD_ERROR_SYSTEM without ICU. */
FREEHOLD_API freehold_error_code_t freehold_class_add_collation_index(
    freehold_transaction_t *transaction, freehold_class_t object_class, freehold_property_t property,
    const char *language, size_t language_length);

/* Drops the index of a property in the order of a language. FREEHOLD_ERROR_INVALID_ARGUMENT if the class itself has none. */
FREEHOLD_API freehold_error_code_t freehold_class_drop_collation_index(
    freehold_transaction_t *transaction, freehold_class_t object_class, freehold_property_t property,
    const char *language, size_t language_length);

/* Describes an index that a class itself has, by number from 0: full-text indexes, those of places, in collations, of vectors.
 * FREEHOLD_ABSENT if there is none of this number. With a transaction's reader these are the indexes that the class has
 * now, with the state of the version that the transaction began with: one added since has no object of that version.
 *
 *     freehold_derived_index_info_t info = { .size = sizeof info };
 *     for (uint32_t number = 0; freehold_class_derived_index(reader, article, number, &info) == FREEHOLD_OK; number++)
 *         printf("%u %%\n", info.percent);
 */
FREEHOLD_API freehold_error_code_t freehold_class_derived_index(
    const freehold_reader_t *reader, freehold_class_t object_class, uint32_t number, freehold_derived_index_info_t *info);

/* Called before each slice and at the end, with the objects that all indexes have and those that they will have, both
 * summed over the indexes. Returning false stops the building; a later call continues it. */
typedef bool (*freehold_index_progress_callback_t)(void *context, uint64_t done, uint64_t total);

/* Builds the full-text indexes, and the indexes of places, of vectors and in collations that are not complete, in slices, while
 * others read and write. Several programs may build at once. `progress` may be NULL. Not within a transaction of the same thread.
 *
 * Errors, if there is something to build: FREEHOLD_BUSY if another writer holds the lock for too long;
 * FREEHOLD_ERROR_ALREADY_IN_WRITE, FREEHOLD_ERROR_READ_ONLY. What was built before an error stays, and a later call
 * continues. */
FREEHOLD_API freehold_error_code_t freehold_database_build_indexes(
    const freehold_database_t *database, freehold_index_progress_callback_t progress, void *context);

FREEHOLD_END
#endif
