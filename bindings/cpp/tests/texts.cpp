// What a transaction gave as a view is an argument of the next call, however many calls of the library that makes.
#include "check.hpp"

void test_texts(const std::string &folder)
{
    const freehold::Database database(folder + "/texts");
    // So long that it lies in the file in parts, and is given as a copy; elements of collections are, too.
    const std::string story(300000, 's'), word(60, 'w');
    freehold::Transaction transaction = database.write();
    transaction.create_class("Text", {{"id", FREEHOLD_TYPE_STRING, FREEHOLD_PROPERTY_PRIMARY_KEY}, {"story", FREEHOLD_TYPE_STRING},
                                      {"bytes", FREEHOLD_TYPE_DATA}, {"words", FREEHOLD_TYPE_STRING, 0, {}, {FREEHOLD_TYPE_LIST}}});
    freehold::Object first = transaction.create("Text", {{"id", "first"}, {"story", story}, {"words", std::vector<std::string>{word, "b"}},
                                                         {"bytes", std::vector<std::uint8_t>(300000, 7)}});
    freehold::Object second = transaction.create("Text", {{"id", first.get<std::vector<std::string_view>>("words")[0]},
                                                          {"story", first.get<std::string_view>("story")}});
    CHECK(second.get<std::string>("id") == word && second.get<std::string>("story") == story);
    second.set("story", first.get<std::vector<std::string_view>>("words")[0]);
    CHECK(second.get<std::string>("story") == word);
    second.set({{"story", first.get<std::string_view>("story")}, {"bytes", first.get<freehold::Bytes>("bytes")},
                {"words", first.get<std::vector<std::string_view>>("words")}});
    CHECK(second.get<std::string>("story") == story && second.get<std::vector<std::uint8_t>>("bytes") == std::vector<std::uint8_t>(300000, 7));
    CHECK(second.get<std::vector<std::string>>("words") == (std::vector<std::string>{word, "b"}));
    CHECK(transaction.find("Text", first.get<std::vector<std::string_view>>("words")[0])->key() == second.key());
    CHECK(transaction.query("Text", "id == %@", first.collection("words").at<std::string_view>(0)).size() == 1);
    CHECK(transaction.query("Text", "story == %@", first.get<std::string_view>("story")).size() == 2);
    // Nothing at all is a text as well.
    second.set({{"story", std::string_view()}, {"bytes", freehold::Bytes()}});
    CHECK(second.get<std::string_view>("story").empty() && second.get<freehold::Bytes>("bytes").size == 0);
}
