extension Cassette {
  /// What a cassette is split by.
  public enum SplitKey: String, Sendable, Hashable, CaseIterable {
    /// Host and port.
    case host
    /// The first segment of the path.
    case path
  }

  /// The parts of the cassette by the names their files may bear, in the order of their first
  /// interactions; each keeps the notes.
  public func split(by key: SplitKey) -> [(name: String, cassette: Cassette)] {
    var parts: [(name: String, cassette: Cassette)] = []
    var places: [String: Int] = [:]
    for interaction in interactions {
      let name = key.name(of: interaction.request.url)
      let place = places[name] ?? parts.count
      if place == parts.count {
        var empty = Cassette()
        empty.notes = notes
        parts.append((name, empty))
        places[name] = place
      }
      parts[place].cassette.interactions.append(interaction)
    }
    return parts
  }

  /// The cassette without the interactions of these numbers, which count from one.
  public func without(numbers: Set<Int>) -> Cassette {
    var rest = self
    rest.interactions = interactions.enumerated().filter { !numbers.contains($0.offset + 1) }
      .map(\.element)
    return rest
  }
}

extension Cassette.SplitKey {
  /// In lower case, since some file systems know no other, and of characters that all of them allow.
  fileprivate func name(of url: RequestURL) -> String {
    let text: String
    switch self {
    case .host: text = (url.host ?? "any-host") + (url.port.map { "-\($0)" } ?? "")
    case .path: text = url.path.split(separator: "/").first.map(String.init) ?? "root"
    }
    let safe = text.lowercased().unicodeScalars.map { scalar -> Character in
      let isSafe =
        ("a"..."z").contains(scalar) || ("0"..."9").contains(scalar)
        || "-._".unicodeScalars.contains(scalar)
      return isSafe ? Character(scalar) : "-"
    }
    // A leading dot would hide the file, and a name has its bounds (255 bytes).
    let name = String(safe.drop { $0 == "." }.prefix(100))
    return name.isEmpty ? "root" : name
  }
}
