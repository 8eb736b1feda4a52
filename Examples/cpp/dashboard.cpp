// What sensors of any language have measured, and what comes next: dashboard DATABASE [VERSIONS], which ends after so many new versions.
// Examples/python/sensors.py writes such a database.
#include <freehold.hpp>

#include <cstdlib>
#include <iostream>

static void show(const freehold::Snapshot &snapshot)
{
    std::cout << "version " << snapshot.version() << '\n';
    const freehold::Groups places = snapshot.prepare("Sample", "GROUP(sensor.place) SELECT(@count, celsius.@avg, celsius.@max)").groups();
    for (std::size_t row = 0; row < places.size(); row++)
        std::cout << places.value<std::string_view>(row) << ": " << places.figure<int>(row, 0) << " samples, mean "
                  << places.figure<double>(row, 1) << ", highest " << places.figure<double>(row, 2) << '\n';
    double warmest = -273;
    for (const double celsius : snapshot.column<double>("Sample", "celsius")) warmest = celsius > warmest ? celsius : warmest;
    std::cout << "warmest of all: " << warmest << std::endl;
}

int main(int count, char **arguments)
{
    if (count < 2) {
        std::cerr << "usage: dashboard DATABASE [VERSIONS]\n";
        return 2;
    }
    try {
        freehold::Options options;
        options.must_exist = true;
        const freehold::Database database(arguments[1], options);
        freehold::Listener listener = database.listen();
        freehold::Snapshot snapshot = database.read();
        show(snapshot);
        for (long left = count > 2 ? std::atol(arguments[2]) : 0; left > 0; left--) {
            listener.wait(std::chrono::hours(24));
            if (snapshot.refresh()) show(snapshot);
        }
    } catch (const freehold::Error &error) {
        std::cerr << error.name() << ": " << error.what() << '\n';
        return 1;
    }
}
