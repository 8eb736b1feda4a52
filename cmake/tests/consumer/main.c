/* Writes an object and reads it back. Takes the path of a database that is not there. */
#include <freehold.h>
#include <stdio.h>
#include <string.h>

int main(int count, char **arguments)
{
    freehold_database_t *database;
    freehold_transaction_t *transaction;
    freehold_class_t note;
    freehold_key_t key;
    freehold_property_info_t text;
    const freehold_property_t first = 0;
    const freehold_value_t value = freehold_string("kept", 4);
    freehold_value_t read;
    if (count != 2) return 2;
    memset(&text, 0, sizeof text);
    text.size = sizeof text;
    text.name.bytes = "text";
    text.name.length = FREEHOLD_TERMINATED;
    text.type = FREEHOLD_TYPE_STRING;
    if (freehold_database_open(arguments[1], FREEHOLD_TERMINATED, NULL, &database) != FREEHOLD_OK
        || freehold_transaction_begin(database, FREEHOLD_DEFAULT_TIMEOUT, &transaction) != FREEHOLD_OK
        || freehold_class_create(transaction, "Note", FREEHOLD_TERMINATED, 1, &text, &note) != FREEHOLD_OK
        || freehold_object_create(transaction, note, NULL, 1, &first, &value, &key) != FREEHOLD_OK
        || freehold_object_get(freehold_transaction_reader(transaction), note, key, 1, &first, &read) != FREEHOLD_OK) return 1;
    printf("linked with Freehold %s, which %.*s it\n", freehold_version(), (int)read.as.string.length, read.as.string.bytes);
    if (freehold_transaction_commit(transaction, FREEHOLD_DURABILITY_FULL, NULL) != FREEHOLD_OK) return 1;
    return freehold_database_close(database) == FREEHOLD_OK ? 0 : 1;
}
