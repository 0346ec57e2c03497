internal import Foundation
internal import WindTunnel

extension GitHistory {
  /// The same files, where one that is gone and a new one that has taken over most of what it said are
  /// one file under another name.
  ///
  /// Told by what they say and not by git, which knows of no rename before the new file is added.
  func renamed(_ files: [File]) throws -> [File] {
    let added = try files.filter { try $0.isHere && content($0.name) == nil }
    guard !added.isEmpty else { return files }
    var left = try gone().compactMap { file in
      // What does not read is no cassette, and nobody asked about it.
      try? cassette(file).map { (file: file, cassette: $0) }
    }
    var files = files
    for new in added {
      guard let index = files.firstIndex(where: { $0.name == new.name }),
        // Whoever reads it next says why it does not read.
        let cassette = try? Cassette(contentsOf: new.url),
        let found = left.firstIndex(where: { Self.isMostly($0.cassette, cassette) })
      else { continue }
      let former = left.remove(at: found).file.name
      files[index].formerName = former
      files.removeAll { $0.name == former }
    }
    return files
  }

  /// The files of the commit that are no longer here, wherever they were.
  private func gone() throws -> [File] {
    let words = [
      "diff", "--name-only", "--no-renames", "--diff-filter=D", "-z", commit, "--", ":/",
    ]
    let data = try Self.git(words) ?? Data()
    return data.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
      .filter { $0.hasSuffix(".json") }
      .map { File(name: $0, url: top.appendingPathComponent($0)) }
  }

  /// Whether at least half of what the larger of two says stands in the other as well.
  private static func isMostly(_ old: Cassette, _ new: Cassette) -> Bool {
    let count = max(old.interactions.count, new.interactions.count)
    let kept = new.interactions.count - new.added(since: old).count
    return kept > 0 && kept * 2 >= count
  }
}
