/* What the library calls back. */
#include "fuzz.h"
#include <string.h>

void hear_problem(void *context, const freehold_check_problem_t *problem) { CHECK(context == NULL && problem != NULL); }
void hear_sentence(void *context, const char *text) { CHECK(context == NULL && text != NULL); }
void hear_holder(void *context, const freehold_holder_t *holder) { CHECK(context == NULL && holder != NULL); }

void hear_found(void *context, const freehold_found_text_t *found)
{
    CHECK(context == NULL && found != NULL && found->highlight_count > 0 && found->highlights[0].end <= found->text.length);
}

bool hear_building(void *context, uint64_t done, uint64_t total)
{
    CHECK(context == NULL && done <= total);
    return pick(4) != 0;
}

/* Now and then does something else meanwhile, to what is being written too. */
bool hear_text(void *context, const char *bytes, size_t length)
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

void hear_record(void *context, uint64_t line, const char *message)
{
    (void)line;
    CHECK(context == NULL && message != NULL);
}

static const char *const records[] = {
    "{\"id\": 3, \"name\": \"c\"}", "[{\"id\": 70, \"age\": 1, \"tags\": [\"x\"]}]", "{\"id\": ", "[]", "{\"a\": {\"b\": [1, {\"c\": null}]}}", "\xff", "",
};

/* One text, then its end; now and then more than fits, or an errno. */
int64_t give_text(void *context, char *buffer, size_t capacity)
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

freehold_error_code_t own_code;

freehold_error_code_t migrate(void *context, freehold_transaction_t *transaction, uint64_t file_version, uint64_t version)
{
    CHECK(context == NULL && file_version < version);
    freehold_schema_set_version(transaction, version + pick(2));
    return own_code = pick(4) ? FREEHOLD_OK : pick_code();
}

bool merge_values(void *context, const freehold_sync_conflict_t *conflict, freehold_value_t *merged)
{
    CHECK(context == NULL && conflict != NULL && conflict->class_name.length > 0);
    *merged = pick_value(3);
    return pick(4) != 0;
}

void hear_loss(void *context, const freehold_sync_loss_t *loss)
{
    CHECK(context == NULL && loss != NULL && loss->class_name.length > 0);
}

void hear_settings(void *context, const freehold_sync_settings_t *settings)
{
    CHECK(context == NULL && settings != NULL && settings->address.bytes != NULL);
}

void hear_issue(void *context, const freehold_sync_issue_t *issue) { CHECK(context == NULL && issue != NULL && issue->code.bytes != NULL); }

bool convert(void *context, freehold_value_t *value)
{
    CHECK(context == NULL);
    *value = pick_value(3);
    return pick(4) != 0;
}

void hear_delivery(void *context, const freehold_delivery_t *delivery)
{
    CHECK(context == NULL && delivery != NULL);
    if (delivery->after != NULL) {
        uint32_t count;
        freehold_class_count(delivery->after, &count);
    }
}
