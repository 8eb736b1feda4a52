import FreeholdEngine

/// The program in C++.
extension QueryProgram {
    var cpp: String {
        let key = isEncrypted ? "\n            // The file is encrypted: set options.encryption_key to the bytes of its key." : ""
        let arguments = "std::string_view(\(Literal.c(schema.name)), \(schema.name.utf8.count)), "
            + "std::string_view(\(Literal.c(query)), \(query.utf8.count))"
        return """
            // \(summary)
            //
            // Build: c++ -std=c++17 program.cpp $(pkg-config --cflags --libs freehold)
            #include <freehold.hpp>
            #include <iostream>

            \(grouping == nil ? "" : Self.showInCpp)int main()
            {
                try {
                    freehold::Options options;
                    options.must_exist = true;
                    options.read_only = true;\(key)
                    const freehold::Database database(std::string_view(\(Literal.c(path)), \(path.utf8.count)), options);
                    const freehold::Snapshot snapshot = database.read();
                    \(grouping.map { groups($0, arguments) } ?? objects(arguments))
                } catch (const freehold::Error &error) {
                    std::cerr << error.what() << '\\n';
                    return 1;
                }
            }

            """
    }

    private func objects(_ arguments: String) -> String {
        """
        for (const freehold::Object object : snapshot.query(\(arguments))) {
                    std::cout << object.json() << '\\n';
                }
        """
    }

    private func groups(_ grouping: Grouping, _ arguments: String) -> String {
        var lines: [String] = []
        for (place, path) in grouping.paths.enumerated() { lines.append(column("value", place, "\(path)", Self.type(value(path)))) }
        for (place, figure) in grouping.figures.enumerated() {
            lines.append(column("figure", place, "\(figure)", type(figure)))
        }
        return """
            const freehold::Groups groups = snapshot.prepare(\(arguments)).groups();
                    for (std::size_t row = 0; row < groups.size(); row++) {
                        \(lines.joined(separator: "\n            "))
                        std::cout << '\\n';
                    }
            """
    }

    private func column(_ part: String, _ place: Int, _ text: String, _ type: String?) -> String {
        guard let type else { return "// \(Literal.comment(text)): read it with groups.\(part)<…>(row, \(place))" }
        return "show(groups.\(part)<std::optional<\(type)>>(row, \(place))); // \(Literal.comment(text))"
    }

    /// The property at the end of a path over names and links; nil for other paths.
    private func property(_ path: PropertyPath) -> PropertySchema? {
        var owner: ClassSchema? = schema, property: PropertySchema?
        for step in path.steps {
            guard case .property(let name) = step, let current = owner else { return nil }
            property = outline.properties(current).first { $0.name.isSame(as: name) }
            owner = outline.find(property?.linkTarget)
        }
        return property
    }

    /// The property whose value groups have in common.
    private func value(_ path: PropertyPath) -> PropertySchema? { property(path).flatMap { $0.collections.isEmpty ? $0 : nil } }

    private func type(_ figure: QueryAggregate) -> String? {
        guard figure.kind != .count else { return "std::int64_t" }
        guard let property = figure.path.flatMap(property) else { return nil }
        switch (figure.kind, property.type) {
        case (.sum, .float), (.avg, .int), (.avg, .float): return "double"
        default: return Self.type(property)
        }
    }

    private static func type(_ property: PropertySchema?) -> String? {
        switch property?.type {
        case .bool: "bool"
        case .int: "std::int64_t"
        case .float: "float"
        case .double: "double"
        case .string: "std::string_view"
        case .data: "freehold::Bytes"
        case .date: "freehold::Time"
        case .uuid: "freehold::Uuid"
        case .objectId: "freehold::ObjectId"
        case .link: "freehold::Link"
        case .decimal: "freehold::Decimal"
        case .mixed, nil: nil
        }
    }

    private static let showInCpp = """
        // Prints a value of a group.
        template <typename Value>
        static void show(const std::optional<Value> &value)
        {
            if (!value) {
                std::cout << "null";
            } else if constexpr (std::is_same_v<Value, freehold::Decimal>) {
                std::cout << value->text();
            } else if constexpr (std::is_same_v<Value, freehold::Bytes>) {
                std::cout << value->size << " bytes";
            } else if constexpr (std::is_same_v<Value, freehold::Time>) {
                std::cout << std::chrono::duration_cast<std::chrono::seconds>(value->time_since_epoch()).count();
            } else if constexpr (std::is_same_v<Value, freehold::Uuid> || std::is_same_v<Value, freehold::ObjectId>) {
                for (const std::uint8_t byte : value->bytes) std::cout << "0123456789abcdef"[byte >> 4] << "0123456789abcdef"[byte & 15];
            } else if constexpr (std::is_same_v<Value, freehold::Link>) {
                std::cout << '#' << value->key;
            } else {
                std::cout << *value;
            }
            std::cout << '\\t';
        }


        """
}
