// Full-text indexes and indexes of places: declared, listed, built, searched by.
#include "check.hpp"
#include <cmath>

using Keys = std::vector<freehold::Key>;

static const char *const search = "title, body, author.name TEXT %@ SORT(@score DESC)";

static Keys keys(const freehold::Snapshot &snapshot, const char *text)
{
    Keys keys;
    for (const freehold::Object &object : snapshot.query("Article", text, "cat")) keys.push_back(object.key());
    return keys;
}

// Articles 1 to `count`: every tenth is of a cat, every twentieth also by one.
static void fill(const freehold::Database &database, int count)
{
    database.write([&](freehold::Transaction &transaction) {
        transaction.create_class("Author", {{"name", FREEHOLD_TYPE_STRING}});
        transaction.create_class("Point", {{"type", FREEHOLD_TYPE_STRING},
                                           {"coordinates", FREEHOLD_TYPE_DOUBLE, 0, {}, {FREEHOLD_TYPE_LIST}}});
        transaction.create_class("Article", {{"id", FREEHOLD_TYPE_INT, FREEHOLD_PROPERTY_PRIMARY_KEY}, {"title", FREEHOLD_TYPE_STRING},
                                             {"body", FREEHOLD_TYPE_STRING}, {"author", FREEHOLD_TYPE_LINK, 0, "Author"},
                                             {"location", FREEHOLD_TYPE_LINK, 0, "Point"}, {"latitude", FREEHOLD_TYPE_DOUBLE},
                                             {"longitude", FREEHOLD_TYPE_DOUBLE}});
        const freehold::Object ada = transaction.create("Author", {{"name", "Ada"}}), cat = transaction.create("Author", {{"name", "Cat"}});
        for (int id = 1; id <= count; id++) {
            const std::vector<double> coordinates{10, id / 10.0};
            const freehold::Object point = transaction.create("Point", {{"type", "Point"}, {"coordinates", coordinates}});
            transaction.create("Article", {{"id", id}, {"title", id % 10 ? "dog" : "cat"}, {"body", "sleeps"},
                                           {"author", id % 20 ? ada : cat}, {"location", point}, {"latitude", id / 10.0},
                                           {"longitude", 10.0}});
        }
    });
}

static void declare(const freehold::Database &database)
{
    database.write([](freehold::Transaction &transaction) {
        transaction.add_full_text_index("Article", {"title", {"body", 0.5}, {"author.name", 2}});
        transaction.add_place_index("Article", {"location"});
        transaction.add_place_index("Article", {"latitude", "longitude"});
        transaction.add_place_index("Point", {});
        CHECK(throws(FREEHOLD_ERROR_INVALID_ARGUMENT, [&] { transaction.add_vector_index("Article", "title", 3); }));
        CHECK(throws(FREEHOLD_ERROR_INVALID_ARGUMENT, [&] { transaction.drop_vector_index("Article", "title"); }));
    });
    database.build_indexes();
}

static void test_searching(const freehold::Database &database)
{
    const char *const box = "location GEOWITHIN geoBox([5, 20.05], [15, 20.35])";
    const char *const circle = "latitude, longitude GEOWITHIN geoCircle([10, 30], 0.001)";
    freehold::Snapshot snapshot = database.read();
    const Keys cats = keys(snapshot, search);
    CHECK(cats.size() == 60 && cats.front() == 20 && cats[29] == 600 && cats[30] == 10 && cats.back() == 590);
    declare(database);
    CHECK(snapshot.refresh() && keys(snapshot, search) == cats);
    CHECK(snapshot.prepare("Article", search, "cat").explain().find("index for title") != std::string::npos);
    CHECK(snapshot.query("Article", box).size() == 3 && snapshot.query("Article", circle).size() == 1);
    CHECK(snapshot.prepare("Article", box).explain().find("index for location") != std::string::npos);
    CHECK(snapshot.prepare("Article", circle).explain().find("index for latitude") != std::string::npos);
}

static void test_collations(const freehold::Database &database)
{
    const char *const order = "SORT(title DESC COLLATE 'de', id DESC) LIMIT(2)";
    try {
        database.write([](freehold::Transaction &transaction) {
            transaction.add_collation_index("Article", "title", "DE");
            CHECK(throws(FREEHOLD_ERROR_INVALID_ARGUMENT, [&] { transaction.add_collation_index("Article", "id", "de"); }));
            CHECK(throws(FREEHOLD_ERROR_INVALID_ARGUMENT, [&] { transaction.drop_collation_index("Article", "body", "de"); }));
        });
    } catch (const freehold::Error &error) {
        CHECK(error.code() == FREEHOLD_ERROR_SYSTEM); // This machine has no ICU.
        return;
    }
    freehold::Snapshot snapshot = database.read();
    const std::vector<freehold::CollationIndex> indexes = snapshot.collation_indexes("Article");
    CHECK(indexes.size() == 1 && indexes[0].property == "title" && indexes[0].language == "de" && indexes[0].percent == 100);
    CHECK(indexes[0].state == FREEHOLD_INDEX_COMPLETE && indexes[0].documents >= 345);
    const freehold::Query query = snapshot.prepare("Article", order);
    CHECK(query.explain().find("in the order of the index of title") != std::string::npos && query.run().size() == 2);
    database.write([](freehold::Transaction &transaction) { transaction.drop_collation_index("Article", "title", "de"); });
    CHECK(snapshot.refresh() && snapshot.collation_indexes("Article").empty());
}

static void test_found_texts(const freehold::Database &database)
{
    freehold::Snapshot snapshot = database.read();
    const freehold::Query query = snapshot.prepare("Article", search, "cat");
    const freehold::Results results = query.run();
    const std::vector<double> scores = query.scores(results);
    CHECK(scores.size() == 60 && scores.front() > scores.back() && scores.front() == scores[29] && scores.back() > 0);
    const std::vector<freehold::FoundText> found = query.found_texts(*snapshot.find("Article", 20));
    CHECK(found.size() == 2 && found[0].path == "title" && found[0].text == "cat" && found[1].path == "author.name");
    CHECK(found[0].highlights.size() == 1 && found[0].highlights[0].start == 0 && found[0].highlights[0].end == 3);
    CHECK(found[1].snippet == "Cat" && found[1].snippet_highlights.size() == 1 && !found[1].cut_before && !found[1].cut_after);
    CHECK(query.found_texts(*snapshot.find("Article", 1), 1).empty());
    const freehold::Query fused = snapshot.prepare("Article", "FUSE(SORT(id DESC) LIMIT(2), SORT(id ASC) LIMIT(1) WEIGHT 2, 9)");
    const freehold::Results both = fused.run();
    CHECK(both.size() == 3 && fused.scores(both) == std::vector<double>({ 2 / 61.0, 1 / 61.0, 1 / 62.0 }));
    CHECK(throws(FREEHOLD_ERROR_MALFORMED_INPUT, [&] { snapshot.prepare("Article", "id > 0").scores(results); }));
}

static void test_distances(const freehold::Database &database)
{
    const freehold::Snapshot snapshot = database.read();
    const freehold::Query nearest = snapshot.prepare("Article", "SORT(@distance(location, [10, 30])) LIMIT(2)");
    const freehold::Results results = nearest.run();
    const std::vector<double> meters = nearest.distances(results);
    const double tenth = 6378100 * std::acos(-1.0) / 1800;
    CHECK(results.size() == 2 && meters[0] == 0 && std::abs(meters[1] - tenth) < 1e-6);
    CHECK(snapshot.prepare("Article", "@distance(latitude, longitude, [10, 30]) < 1").distances(results) == meters);
    CHECK(throws(FREEHOLD_ERROR_MALFORMED_INPUT, [&] { snapshot.prepare("Article", "id > 0").distances(results); }));
}

static void test_listing(const freehold::Database &database)
{
    freehold::Snapshot snapshot = database.read();
    const std::vector<freehold::FullTextIndex> texts = snapshot.full_text_indexes("Article");
    const std::vector<freehold::PlaceIndex> places = snapshot.place_indexes("Article");
    CHECK(texts.size() == 1 && places.size() == 2 && snapshot.full_text_indexes("Point").empty());
    CHECK(texts[0].fields.size() == 3 && texts[0].fields[2].path == "author.name" && texts[0].fields[1].weight == 0.5);
    CHECK(texts[0].state == FREEHOLD_INDEX_COMPLETE && texts[0].percent == 100 && texts[0].documents >= 345);
    CHECK(texts[0].words == 3 * texts[0].documents && places[0].documents == texts[0].documents);
    CHECK(places[0].properties == (std::vector<std::string>{"location.type", "location.coordinates"}));
    CHECK(places[1].properties == (std::vector<std::string>{"latitude", "longitude"}) && places[1].state == FREEHOLD_INDEX_COMPLETE);
    CHECK(throws(FREEHOLD_ERROR_UNKNOWN_CLASS, [&] { snapshot.place_indexes("Cat"); }));
    CHECK(snapshot.vector_indexes("Article").empty());
    database.write([&](freehold::Transaction &transaction) {
        CHECK(throws(FREEHOLD_ERROR_INVALID_ARGUMENT, [&] { transaction.drop_full_text_index("Article", {"title"}); }));
        CHECK(throws(FREEHOLD_ERROR_UNKNOWN_PROPERTY, [&] { transaction.add_full_text_index("Article", {"colour"}); }));
        CHECK(throws(FREEHOLD_ERROR_INVALID_ARGUMENT, [&] { transaction.add_place_index("Article", {"title", "latitude"}); }));
        CHECK(transaction.full_text_indexes("Article").at(0).documents == texts[0].documents);
        transaction.drop_full_text_index("Article", texts[0].fields);
        CHECK(transaction.full_text_indexes("Article").empty() && transaction.place_indexes("Article").size() == 2);
        transaction.drop_place_index("Article", {"location"});
        transaction.drop_place_index("Article", {"latitude", "longitude"});
        CHECK(throws(FREEHOLD_ERROR_INVALID_ARGUMENT, [&] { transaction.drop_place_index("Article", {"location"}); }));
    });
    CHECK(snapshot.refresh() && snapshot.full_text_indexes("Article").empty() && snapshot.place_indexes("Article").empty());
    database.write([](freehold::Transaction &transaction) {
        CHECK(throws(FREEHOLD_ERROR_INVALID_ARGUMENT, [&] { transaction.add_full_text_index("Article", {"body"}, "klingon"); }));
        transaction.add_full_text_index("Article", {"title", "body"}, "german");
        CHECK(transaction.full_text_indexes("Article").at(0).language == "german");
        transaction.add_full_text_index("Article", {"title", "body"});
        CHECK(transaction.full_text_indexes("Article").at(0).language.empty());
        transaction.drop_full_text_index("Article", {"title", "body"});
    });
    CHECK(snapshot.place_indexes("Point").size() == 1 && keys(snapshot, search).size() == 60);
}

// More objects than a commit builds.
static void test_building(const freehold::Database &database)
{
    const std::vector<std::string> names(25000, "ada");
    database.write([&](freehold::Transaction &transaction) { transaction.create_many("Author", {{"name", names}}); });
    database.write([](freehold::Transaction &transaction) { transaction.add_full_text_index("Author", {"name"}); });
    const freehold::FullTextIndex before = database.read().full_text_indexes("Author").at(0);
    CHECK(before.state == FREEHOLD_INDEX_BUILDING && before.percent > 50 && before.percent < 100);
    struct Stop {};
    bool is_stopped = false;
    try {
        database.build_indexes([](std::uint64_t, std::uint64_t) -> bool { throw Stop(); });
    } catch (const Stop &) {
        is_stopped = true;
    }
    CHECK(is_stopped && database.read().full_text_indexes("Author").at(0).documents == before.documents);
    {
        freehold::Transaction transaction = database.write();
        CHECK(throws(FREEHOLD_ERROR_ALREADY_IN_WRITE, [&] { database.build_indexes(); }));
    }
    std::uint64_t last = 0, all = 1;
    database.build_indexes([&](std::uint64_t done, std::uint64_t total) {
        CHECK(done >= last && done <= total);
        last = done;
        all = total;
        return true;
    });
    CHECK(last == all && database.read().full_text_indexes("Author").at(0).state == FREEHOLD_INDEX_COMPLETE);
}

void test_derived_indexes(const std::string &folder)
{
    const freehold::Database database(folder + "/derived");
    fill(database, 600);
    test_searching(database);
    test_collations(database);
    test_found_texts(database);
    test_distances(database);
    test_listing(database);
    test_building(database);
}
