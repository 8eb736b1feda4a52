import TestKit
import Testing
@testable import FreeholdEngine

/// Random commits and steps of merges: the index must answer what the documents say.
@Suite("A full-text index of runs")
struct TextIndexModelTests {
    @Test("after any commits and steps of merges the index has the documents' terms, counts and lengths", arguments: TestScale.seeds(4))
    func histories(seed: UInt64) throws {
        var documents = RandomDocuments(seed: seed)
        let model = TextIndexModel()
        for step in 0..<24 {
            // No merging at all, a little, and as planned.
            let budget = [0, 1 + documents.random.below(40), nil][documents.random.below(3)]
            try model.commit(documents.changes(documents.random.oneIn(3) ? 60 : 3, of: model), merging: budget)
            while !model.root.merges.isEmpty, documents.random.oneIn(2) {
                try model.step(merge: documents.random.below(model.root.merges.count), limit: 1 + documents.random.below(30))
            }
            if step % 3 == 2 { try compare(model, "seed \(seed), step \(step)", &documents) }
        }
        while try !model.compact(100) {}
        #expect(model.root.runs.count <= 1)
        try compare(model, "seed \(seed), compact", &documents)
        try model.commit(model.documents.mapValues { _ in nil })
        while try !model.compact(1_000) {}
        #expect(model.root.runs.isEmpty && model.root.lengths.isNull, "seed \(seed): an index without documents has no trees")
        #expect(try model.lostBlocks() == [])
    }

    private func compare(_ model: TextIndexModel, _ what: String, _ documents: inout RandomDocuments) throws {
        let problems = TextIndexChecker.problems(model.root, model.access)
        #expect(problems.isEmpty, "\(what): \(problems.prefix(3))")
        #expect(try model.lostBlocks() == [], "\(what)")
        let entries = model.entries
        for field in 0..<TextIndexModel.fields {
            let expected = model.expected(field)
            for (term, wanted) in expected {
                let found = try entries.all(term, field), classes = wanted.mapValues { OccurrenceClass(occurrences: $0).number }
                #expect(found == classes, "\(what): \(String(decoding: term, as: UTF8.self)) in field \(field)")
                #expect(try entries.count(of: term, field: field) == wanted.count, "\(what): \(String(decoding: term, as: UTF8.self))")
                for number in 0..<OccurrenceClass.count {
                    let count = try entries.count(of: term, field: field, classes: number..<number + 1)
                    #expect(count == classes.values.count { $0 == number }, "\(what)")
                }
            }
            // No term has documents beside these.
            for term in try entries.terms(prefix: []) where expected[term] == nil {
                #expect(try entries.all(term, field).isEmpty, "\(what)")
            }
            try compareLengths(model, field, what)
        }
        try compareSearches(model, what, &documents)
    }

    private func compareLengths(_ model: TextIndexModel, _ field: Int, _ what: String) throws {
        let lengths = try LengthReader(model.root.lengths, field: field, model.access)
        var documents = 0, words = 0
        for key in Int64(-520)..<1_020 {
            let count = model.documents[key].map { model.counts($0, field).values.reduce(0, +) } ?? 0
            let code = try lengths.code(of: ObjectKey(key))
            #expect(code == TextLength.code(words: count), "\(what): object \(key)")
            documents += count > 0 ? 1 : 0
            words += count
        }
        #expect(model.root.fields[field] == TextFieldSums(documents: documents, words: words), "\(what)")
    }

    private func compareSearches(_ model: TextIndexModel, _ what: String, _ documents: inout RandomDocuments) throws {
        let entries = model.entries
        for _ in 0..<6 {
            let word = documents.word()
            guard case .exact(let term) = TermQuery(try TextQuery(word), model.analyzer).matchers[0] else { continue }
            if TermQuery(try TextQuery(word), model.analyzer).matchers.count == 1 {
                #expect(try entries.documents([term]) == model.matching(word), "\(what): \(word)")
            }
            // Words of pairs have no beginnings of their own.
            guard word.utf8.allSatisfy({ $0 < 0x80 }) else { continue }
            let start = String(word.prefix(2))
            #expect(try entries.documents(entries.terms(prefix: Array(start.utf8))) == model.matching("\(start)*"), "\(what): \(start)*")
            for distance in 1...2 where word.count > distance {
                let found = try entries.documents(entries.terms(FuzzyWord(term, distance: distance)))
                #expect(try found == model.matching("\(word)~\(distance)"), "\(what): \(word)~\(distance)")
            }
        }
    }

    @Test("documents are found from any key on", arguments: TestScale.seeds(3))
    func seeking(seed: UInt64) throws {
        var documents = RandomDocuments(seed: seed)
        let model = TextIndexModel()
        for _ in 0..<7 { try model.commit(documents.changes(80, of: model), merging: 40) }
        for (term, wanted) in model.expected(0) {
            let keys = wanted.keys.sorted()
            var cursor = try model.entries.cursor(of: term, field: 0), place = 0
            while place < keys.count {
                let start = keys[place] + Int64(documents.random.below(40)) - 20
                let next = keys[place...].firstIndex { $0 >= start } ?? keys.count
                #expect(try cursor.next(from: ObjectKey(start)) == (next < keys.count), "seed \(seed)")
                if next < keys.count { #expect(cursor.object.rawValue == keys[next], "seed \(seed)") }
                place = next + 1
            }
        }
    }

    @Test("the documents of each class, in ranges of keys, are those with so many occurrences", arguments: TestScale.seeds(3))
    func classes(seed: UInt64) throws {
        var documents = RandomDocuments(seed: seed)
        let model = TextIndexModel()
        for _ in 0..<7 { try model.commit(documents.changes(80, of: model), merging: 40) }
        for (term, wanted) in model.expected(0) {
            let keys = wanted.keys.sorted()
            let low = keys[documents.random.below(keys.count)], high = low + Int64(documents.random.below(200))
            let ranges: [ClosedRange<Int64>] = [.min ... .max, low...high, low + 1 ... .max, .min ... high, high...high]
            for range in ranges {
                for (number, start) in try model.entries.cursors(of: term, field: 0).enumerated() {
                    var cursor = start, found: [Int64] = []
                    try cursor.forEach(in: range) { found.append($0) }
                    let these = keys.filter { key in
                        range.contains(key) && wanted[key].map { Int(OccurrenceClass(occurrences: $0).number) } == number
                    }
                    #expect(found == these, "seed \(seed), class \(number), \(range)")
                }
            }
        }
    }

    @Test("every position of a merge is right, and so is going on from it")
    func allPositions() throws {
        for isWithOldest in [false, true] {
            var documents = RandomDocuments(seed: 7)
            let model = TextIndexModel()
            try model.commit(Dictionary(uniqueKeysWithValues: (0..<6).map { (Int64($0), documents.document()) }), merging: 0)
            // The same documents gain and lose the same words.
            for round in 0..<4 {
                try model.commit([0: [["the of of"], []], Int64(1 + round): nil, 9: [["x the"], ["x"]]], merging: 0)
                try model.commit([0: [["the the of"], []], Int64(1 + round): [["the"], ["of"]], 9: nil], merging: 0)
            }
            #expect(!model.root.merges.isEmpty, "a merge has begun")
            if isWithOldest {
                while !model.root.merges.isEmpty { try model.step(merge: 0, limit: 1_000) }
                while model.root.runs.count > 1 {
                    try stepThrough(model, 0..<model.root.runs.count)
                }
            } else {
                try stepThrough(model, nil)
            }
        }
    }

    /// Takes a merge through all its positions.
    private func stepThrough(_ model: TextIndexModel, _ inputs: Range<Int>?) throws {
        if let inputs { model.begin(inputs) }
        var steps = 0
        while !model.root.merges.isEmpty {
            try model.step(merge: 0, limit: 1)
            steps += 1
            let problems = TextIndexChecker.problems(model.root, model.access)
            #expect(problems.isEmpty, "step \(steps): \(problems.prefix(3))")
            for field in 0..<TextIndexModel.fields {
                for (term, wanted) in model.expected(field) {
                    let classes = wanted.mapValues { OccurrenceClass(occurrences: $0).number }
                    #expect(try model.entries.all(term, field) == classes, "step \(steps)")
                    #expect(try model.entries.count(of: term, field: field) == wanted.count, "step \(steps)")
                }
                for term in try model.entries.terms(prefix: []) where model.expected(field)[term] == nil {
                    #expect(try model.entries.all(term, field).isEmpty, "step \(steps)")
                }
            }
            #expect(try model.lostBlocks() == [], "step \(steps)")
        }
        #expect(steps >= 20, "\(steps) steps of one posting")
    }
}
