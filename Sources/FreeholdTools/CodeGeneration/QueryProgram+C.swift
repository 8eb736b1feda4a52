import FreeholdEngine

/// The program in C.
extension QueryProgram {
    var c: String {
        let key = isEncrypted ? "\n    /* The file is encrypted: set options.encryption_key to the bytes of its key. */" : ""
        let name = "\(Literal.c(schema.name)), \(schema.name.utf8.count)", text = "\(Literal.c(query)), \(query.utf8.count)"
        return """
            /* \(summary)
             *
             * Build: cc -std=c11 program.c $(pkg-config --cflags --libs freehold) */
            #include <freehold.h>
            #include <inttypes.h>
            #include <stdio.h>

            \(grouping == nil ? Self.objectsInC : Self.groupsInC)

            int main(void)
            {
                freehold_open_options_t options = { .size = sizeof options, .must_exist = true, .read_only = true };\(key)
                freehold_database_t *database = NULL;
                freehold_snapshot_t *snapshot = NULL;
                freehold_query_t *query = NULL;
                freehold_class_t object_class;
                freehold_error_code_t code = freehold_database_open(\(Literal.c(path)), \(path.utf8.count), &options, &database);
                if (code == FREEHOLD_OK) code = freehold_snapshot_begin(database, &snapshot);
                const freehold_reader_t *reader = code == FREEHOLD_OK ? freehold_snapshot_reader(snapshot) : NULL;
                if (code == FREEHOLD_OK) code = freehold_class_find(reader, \(name), &object_class);
                if (code == FREEHOLD_OK) {
                    code = freehold_query_prepare(
                        reader, object_class, \(text), 0, NULL, 0, NULL, &query);
                }
                if (code == FREEHOLD_OK) code = show(query);
                if (code != FREEHOLD_OK) {
                    freehold_error_t error = { .size = sizeof error };
                    freehold_last_error(&error);
                    fprintf(stderr, "%s (%s)\\n", error.message, freehold_error_name(code));
                }
                if (query) freehold_query_close(query);
                if (snapshot) freehold_snapshot_end(snapshot);
                if (database) freehold_database_close(database);
                return code != FREEHOLD_OK;
            }

            """
    }

    private static let objectsInC = """
        static bool print(void *file, const char *bytes, size_t length)
        {
            return fwrite(bytes, 1, length, file) == length;
        }

        /* Prints the objects as JSON, one on each line. */
        static freehold_error_code_t show(freehold_query_t *query)
        {
            freehold_results_t *results;
            freehold_error_code_t code = freehold_query_run(query, &results);
            if (code != FREEHOLD_OK) return code;
            code = freehold_json_results(results, FREEHOLD_JSON_LINES, print, stdout);
            freehold_results_close(results);
            return code;
        }
        """

    private static let groupsInC = """
        static void print(const freehold_value_t *value)
        {
            char text[FREEHOLD_DECIMAL_TEXT];
            switch (value->type) {
            case FREEHOLD_TYPE_NULL: printf("null"); break;
            case FREEHOLD_TYPE_BOOL: printf("%s", value->as.boolean ? "true" : "false"); break;
            case FREEHOLD_TYPE_INT: printf("%" PRId64, value->as.integer); break;
            case FREEHOLD_TYPE_FLOAT: printf("%.9g", value->as.single); break;
            case FREEHOLD_TYPE_DOUBLE: printf("%.17g", value->as.real); break;
            case FREEHOLD_TYPE_STRING: fwrite(value->as.string.bytes, 1, value->as.string.length, stdout); break;
            case FREEHOLD_TYPE_DATA: printf("%zu bytes", value->as.data.length); break;
            case FREEHOLD_TYPE_DATE: printf("%" PRId64 ".%09d", value->as.date.seconds, value->as.date.nanoseconds); break;
            case FREEHOLD_TYPE_LINK: printf("#%" PRId64, value->as.link.key); break;
            case FREEHOLD_TYPE_UUID:
                for (int place = 0; place < 16; place++) printf("%02x", value->as.uuid[place]);
                break;
            case FREEHOLD_TYPE_OBJECT_ID:
                for (int place = 0; place < 12; place++) printf("%02x", value->as.object_id[place]);
                break;
            case FREEHOLD_TYPE_DECIMAL:
                if (freehold_decimal_format(value->as.decimal, text, sizeof text) == FREEHOLD_OK) printf("%s", text);
                break;
            default: printf("a collection"); break;
            }
            printf("\\t");
        }

        /* Prints the groups, one on each line: their common values, and their aggregates. */
        static freehold_error_code_t show(freehold_query_t *query)
        {
            freehold_groups_t *groups;
            freehold_error_code_t code = freehold_query_groups(query, &groups);
            if (code != FREEHOLD_OK) return code;
            uint64_t count = 0;
            code = freehold_groups_count(groups, &count);
            for (uint64_t row = 0; code == FREEHOLD_OK && row < count; row++) {
                freehold_values_t values, figures;
                code = freehold_groups_get(groups, row, &values, &figures);
                if (code != FREEHOLD_OK) break;
                for (size_t place = 0; place < values.count; place++) print(&values.values[place]);
                for (size_t place = 0; place < figures.count; place++) print(&figures.values[place]);
                printf("\\n");
            }
            freehold_groups_close(groups);
            return code;
        }
        """
}
