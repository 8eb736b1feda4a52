// What sensors of any language have measured, and what comes next: dashboard DATABASE [SAMPLES], which ends when there are so many samples.
// Examples/c/logger.c and Examples/python/sensors.py write such a database.
#include <freehold.hpp>

#include <cstdlib>
#include <iostream>

static void show(const freehold::Reader &reader)
{
    std::cout << "version " << reader.version() << '\n';
    const freehold::Groups places = reader.prepare("Sample", "GROUP(sensor.place) SELECT(@count, celsius.@avg, celsius.@max)").groups();
    for (std::size_t row = 0; row < places.size(); row++)
        std::cout << places.value<std::string_view>(row) << ": " << places.figure<int>(row, 0) << " samples, mean "
                  << places.figure<double>(row, 1) << ", highest " << places.figure<double>(row, 2) << '\n';
    double warmest = -273;
    for (const double celsius : reader.column<double>("Sample", "celsius")) warmest = celsius > warmest ? celsius : warmest;
    std::cout << "warmest of all: " << warmest << std::endl;
}

int main(int count, char **arguments)
{
    if (count < 2) {
        std::cerr << "usage: dashboard DATABASE [SAMPLES]\n";
        return 2;
    }
    try {
        freehold::Options options;
        options.must_exist = true;
        const freehold::Database database(arguments[1], options);
        const std::uint64_t wanted = count > 2 ? std::strtoull(arguments[2], nullptr, 10) : 0;
        freehold::Watch watch = database.watch();
        const freehold_answer_t samples = watch.query("Sample", "TRUEPREDICATE");
        show(database.read());
        while (watch.count(samples) < wanted)
            watch.deliver(std::chrono::hours(1), [](const freehold::Delivery &delivery) { show(delivery.after()); });
    } catch (const freehold::Error &error) {
        std::cerr << error.name() << ": " << error.what() << '\n';
        return 1;
    }
}
