import Glibc
import Testing
@testable import FreeholdEngine

private let measuredFiles = getenv("FREEHOLD_MEASURE").map { String(cString: $0).split(separator: " ").map(String.init) } ?? []

/// The figures of the floor's README, for the files that FREEHOLD_MEASURE names: printed, not judged.
@Suite("Measures of text", .enabled(if: !measuredFiles.isEmpty), .serialized)
struct TextMeasures {
    private func contents(_ path: String) -> [UInt8] {
        guard let file = fopen(path, "r") else { return [] }
        defer { fclose(file) }
        fseek(file, 0, SEEK_END)
        var bytes = [UInt8](repeating: 0, count: ftell(file))
        rewind(file)
        let count = fread(&bytes, 1, bytes.count, file)
        return Array(bytes.prefix(count))
    }

    private func seconds(_ body: () -> Void) -> Double {
        var best = Double.infinity
        for _ in 0..<9 {
            var start = timespec(), end = timespec()
            clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start)
            body()
            clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end)
            best = min(best, Double(end.tv_sec - start.tv_sec) + Double(end.tv_nsec - start.tv_nsec) * 1e-9)
        }
        return best
    }

    private func rate(_ bytes: Int, _ body: () -> Void) -> String { "\(Int(Double(bytes) / seconds(body) / 1e6)) MB/s" }

    private func words(_ bytes: UnsafeRawBufferPointer, _ next: (inout WordScanner) -> WordSegment?) -> Int {
        var scanner = WordScanner(bytes), count = 0
        while let segment = next(&scanner) { count += segment.isWord ? 1 : 0 }
        return count
    }

    @Test("segments, words and terms", arguments: measuredFiles)
    func rates(path: String) {
        contents(path).withUnsafeBytes { bytes in
            var sum = 0
            let segments = rate(bytes.count) { sum += words(bytes) { $0.next() } }
            let candidates = rate(bytes.count) { sum += words(bytes) { $0.nextCandidate() } }
            let terms = rate(bytes.count) { TextAnalyzer().forEachTerm(in: bytes) { sum += $0.bytes.count } }
            print("\(path): segments \(segments), words \(candidates), terms \(terms) (\(sum))")
        }
    }

    @Test("postings with and without single characters", arguments: measuredFiles, [300, 3000])
    func postings(path: String, length: Int) {
        let bytes = contents(path)
        var start = 0, usual = 0, more = 0
        while start < bytes.count {
            var end = min(start + length, bytes.count)
            while end < bytes.count, bytes[end] & 0xC0 == 0x80 { end += 1 }
            var terms: Set<[UInt8]> = [], characters: Set<[UInt8]> = []
            Array(bytes[start..<end]).withUnsafeBytes { document in
                TextAnalyzer().forEachTerm(in: document) { term in
                    terms.insert(Array(term.bytes))
                    if term.kind == .pair { characters.insert(Array(document[term.range.lowerBound..<term.characterEnd])) }
                }
            }
            usual += terms.count
            more += terms.union(characters).count
            start = end
        }
        print("\(path), documents of \(length) bytes: \(usual) postings, \(more) with single characters")
    }

    @Test("fuzzy words over the terms of all files", arguments: [("colour", 1), ("configuration", 1), ("configuration", 2)])
    func fuzzy(word: String, distance: Int) {
        var terms: Set<[UInt8]> = []
        for path in measuredFiles {
            contents(path).withUnsafeBytes { bytes in TextAnalyzer().forEachTerm(in: bytes) { terms.insert(Array($0.bytes)) } }
        }
        let sorted = terms.sorted { $0.lexicographicallyPrecedes($1) }
        var visits = 0
        let time = seconds { visits = visitAll(sorted, FuzzyWord(Array(word.utf8), distance: distance)) }
        print("\(word)~\(distance) over \(sorted.count) terms: \(time * 1000) ms, \(visits) visits")
    }

    private func visitAll(_ terms: [[UInt8]], _ word: FuzzyWord) -> Int {
        var word = word, place = 0, visits = 0
        while place < terms.count {
            visits += 1
            switch terms[place].withUnsafeBytes({ word.visit($0) }) {
            case .match: place += 1
            case .seek(let next):
                var high = terms.count
                while place < high {
                    let middle = (place + high) / 2
                    if terms[middle].lexicographicallyPrecedes(next) { place = middle + 1 } else { high = middle }
                }
            case .end: return visits
            }
        }
        return visits
    }
}
