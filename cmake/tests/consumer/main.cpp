// Writes an object in C++ and reads it back. Takes the path of a database that is not there.
#include <freehold.hpp>
#include <iostream>

struct Note {
    std::int64_t id = 0;
    std::string text;
};

template <> struct freehold::Mapping<Note> {
    static constexpr std::string_view name = "Note";
    static constexpr auto members = std::make_tuple(
        freehold::member("id", &Note::id, FREEHOLD_PROPERTY_PRIMARY_KEY), freehold::member("text", &Note::text));
};

int main(int count, char **arguments)
{
    if (count != 2) return 2;
    try {
        const freehold::Database database(arguments[1]);
        database.write([](freehold::Transaction &transaction) {
            transaction.create_class<Note>();
            transaction.add(Note{1, "kept"});
        });
        const freehold::Snapshot snapshot = database.read();
        const freehold::Results notes = snapshot.query("Note", "text BEGINSWITH %@", "k");
        std::cout << "linked with Freehold " << freehold_version() << ", which " << notes.at(0).load<Note>().text << " it in C++\n";
    } catch (const freehold::Error &error) {
        std::cerr << error.name() << ": " << error.what() << '\n';
        return 1;
    }
}
