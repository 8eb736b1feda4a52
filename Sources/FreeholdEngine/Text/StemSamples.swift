import Platform

/// Words whose stems tell apart versions of a library: of each language some with usual endings, and some of those that
/// its algorithm treats as exceptions.
///
/// Whatever changes here changes the fingerprints of all indexes with a language, which are then built anew.
enum StemSamples {
    private static let words = """
        houses running happily generously generation skies dying tying news proceed exceed singly importance relational
        international conditional communities university universe arsenal knightly evening innings absorbed operating
        häuser gegangen freundlichkeit aufeinanderfolgenden bürgerin kategorischen mäusen straße gebirge einheiten
        continuité majestueusement chevaux nationalisation évidemment finissions agréable journellement yeux imprimées
        lentamente canciones hablaríamos nacionalidad corriendo dígamelo chicharrones torneados psicología
        naturalmente cantando abbandonata universalità pronunciamento dirglielo città ragazzi
        rapidamente nacionalização quilométricos boataria cantávamos coração
        huizen lopende lichamelijkheid opgevangen mogelijkheden kaarsen
        huse indtørre løbende undersøgelsen hængende lykkeligheden
        jaktkarlarne klostrens jämförelser husen löpande friskhet
        havnemyndighetene opning huset løpende avhengighetens
        edeltäjistään taloissamme juokseva kirjastoissa innostuneena
        házakban megfoghatatlan gyerekeitekkel szépségének futottam
        înțelegerile copiilor casele alergând națională ocolească
        evlerimizden kitaplığımız koşuyorlar çocukların güzelliği
        красивейшими домами бежавший важности вавиловка поднимающегося
        σπίτια τρέχοντας ευτυχισμένος καταστροφής ανθρώπων
        namuose bėgdamas gražiausiai vaikams laimingumas
        cases corrents felicitats meravellosament noies aconseguir
        etxeetako korrikalariak zoriontasunaren hizkuntzetan
        tithe rithte áthas bhfuilteachta gcathaoirleach
        kućama trčanje najljepšega sretnosti deca djeca ljudima
        rumahnya berlarian kebahagiaan mempertanggungjawabkan pelajaran
        والكتابات المدرسون فاستخدمناها يكتبون بيوتهم
        लड़कियों दौड़ना खुशियाँ किताबें करताहूँ
        வீடுகளில் ஓடுகிறார்கள் மரங்களுடைய படித்தான்
        घरहरूमा दौडिरहेको खुसीको केटाहरूले
        տներում վազելով երջանկության գրքերի
        הײַזער לויפֿנדיק פֿרײלעכקײט ביכער
        domoj kurantaj feliĉecojn majadesse jooksmine domami szczęśliwości
        """

    /// A hash of the stems of all words. Never 0.
    static func fingerprint(_ stemmer: any Stemmer, _ algorithm: String) -> UInt64 {
        var hash = Hash()
        hash.add(algorithm.utf8)
        var stem = [UInt8](repeating: 0, count: 256)
        for word in words.split(whereSeparator: \.isWhitespace) {
            // Safe: the buffers are used within the call, which returns how much of the stem it has written.
            let count = Array(word.utf8).withUnsafeBytes { word in stem.withUnsafeMutableBytes { stemmer.stem(word, to: $0) } }
            hash.add(stem[..<count])
        }
        return max(1, hash.value)
    }

    /// FNV-1a; each part ends with a zero byte, which no part has.
    private struct Hash {
        private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

        mutating func add(_ bytes: some Sequence<UInt8>) {
            for byte in bytes { add(byte) }
            add(0)
        }

        // Safe: hashes wrap by design.
        private mutating func add(_ byte: UInt8) { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
    }
}
