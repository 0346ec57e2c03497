internal import WindTunnelHTTP

/// The static table (RFC 7541 Appendix A), whose first index is 1.
final class HPACKStaticTable: Sendable {
  static let shared = HPACKStaticTable()

  let entries: [HPACKEntry]
  /// The index of the first entry of each name, by the hash of the name; -1 if there is none.
  private let places: [Int]

  private init() {
    let text = """
      :authority|:method=GET|:method=POST|:path=/|:path=/index.html|:scheme=http|:scheme=https|\
      :status=200|:status=204|:status=206|:status=304|:status=400|:status=404|:status=500|\
      accept-charset|accept-encoding=gzip, deflate|accept-language|accept-ranges|accept|\
      access-control-allow-origin|age|allow|authorization|cache-control|content-disposition|\
      content-encoding|content-language|content-length|content-location|content-range|\
      content-type|cookie|date|etag|expect|expires|from|host|if-match|if-modified-since|\
      if-none-match|if-range|if-unmodified-since|last-modified|link|location|max-forwards|\
      proxy-authenticate|proxy-authorization|range|referer|refresh|retry-after|server|set-cookie|\
      strict-transport-security|transfer-encoding|user-agent|vary|via|www-authenticate
      """
    entries = text.split(separator: "|").map { item in
      let parts = item.split(separator: "=")
      let field = HeaderField(String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
      return HPACKEntry(
        field: field,
        nameBytes: field.name.utf8.count,
        valueBytes: field.value.utf8.count
      )
    }
    var places = [Int](repeating: -1, count: 256)
    for (place, entry) in entries.enumerated().reversed() {
      var name = entry.field.name
      places[name.withUTF8(Self.hash)] = place
    }
    self.places = places
  }

  /// Returns the index of a lower-case name, and whether that entry also has the value; `nil` if
  /// the table has no such name.
  func index(of name: Bytes, value: String) -> (index: Int, hasValue: Bool)? {
    let first = places[Self.hash(name)]
    guard first >= 0, isNamed(first, name) else { return nil }
    for place in first..<entries.count {
      if entries[place].hasValue(value) { return (place + 1, true) }
      // The entries of a name are neighbors, and most names have one.
      guard place + 1 < entries.count, isNamed(place + 1, name) else { break }
    }
    return (first + 1, false)
  }

  /// Returns a hash below 256, which is unique for each name of the table.
  private static func hash(_ name: Bytes) -> Int {
    var hash: UInt8 = 0
    for byte in name { hash = hash &* 185 &+ byte }
    return Int(hash)
  }

  private func isNamed(_ place: Int, _ name: Bytes) -> Bool {
    guard entries[place].nameBytes == name.count else { return false }
    var other = entries[place].field.name
    return other.withUTF8 { $0.elementsEqual(name) }
  }
}

/// The dynamic table of one direction of a connection (RFC 7541 §2.3.2).
struct HPACKDynamicTable {
  /// The initial size in octets at both ends (RFC 9113 §6.5.2).
  static let initialBytesMax = 4096

  /// The entries, from the oldest to the newest. Entries before the index `oldest` are evicted.
  private var entries: [HPACKEntry] = []
  private var oldest = 0
  private var bytes = 0
  private(set) var bytesMax = initialBytesMax

  /// The number of entries that are not evicted.
  var count: Int { entries.count - oldest }

  /// Returns an entry by its index from the newest, which is 0; `nil` if there is none.
  func entry(_ place: Int) -> HPACKEntry? {
    place < count ? entries[entries.count - 1 - place] : nil
  }

  /// Adds an entry as the newest one. An entry larger than the table empties it (RFC 7541 §4.4).
  mutating func insert(_ entry: HPACKEntry) {
    evict(to: bytesMax - entry.size)
    guard entry.size <= bytesMax else { return }
    entries.append(entry)
    bytes += entry.size
  }

  /// Changes the maximum size (RFC 7541 §4.3).
  mutating func resize(to bytesMax: Int) {
    self.bytesMax = bytesMax
    evict(to: bytesMax)
  }

  private mutating func evict(to bytesMax: Int) {
    while bytes > bytesMax, oldest < entries.count {
      bytes -= entries[oldest].size
      oldest += 1
    }
    // Evicted entries are removed in bulk, so that an insertion takes constant time on average.
    if oldest > entries.count / 2 {
      entries.removeFirst(oldest)
      oldest = 0
    }
  }
}
