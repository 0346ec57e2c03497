/// The properties of a file that every save changes, one that writes the same bytes included.
struct FileMark: Sendable, Hashable {
  private var date: Date?
  private var size: Int?
  private var number: Int?

  /// The mark of a file as it is now; one that is not there has one, too.
  init(of file: URL) {
    // What has gone meanwhile is another than what comes back.
    let attributes = (try? FileManager.default.attributesOfItem(atPath: file.path)) ?? [:]
    date = attributes[.modificationDate] as? Date
    size = (attributes[.size] as? NSNumber)?.intValue
    number = (attributes[.systemFileNumber] as? NSNumber)?.intValue
  }
}

/// The reason why a folder cannot be watched, as half a sentence.
struct WatchError: Error, Sendable, Hashable, CustomStringConvertible {
  var reason: String

  var description: String { "Saves cannot be watched: \(reason)." }
}
