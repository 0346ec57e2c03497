/// A HAR with its attachments, as a file or in a zip archive, as Playwright writes it.
enum HARFile {
  /// The maximum number of files in an archive.
  private static let entriesMax = 100_000

  static func read(_ file: URL) throws -> (har: Data, attachments: HARAttachments) {
    let most = Cassette.fileBytesMax
    let content = try FileError.reading(file, bytesMax: most)
    guard file.pathExtension.lowercased() == "zip" || content.starts(with: ZipArchive.magic) else {
      return (content, HARAttachments(besides: file))
    }
    do throws(ReadingError) {
      let archive = try ZipArchive(ByteWindow(content), entriesMax: entriesMax)
      // macOS adds files that have the names of others.
      let names = archive.entries.map(\.name).filter {
        $0.lowercased().hasSuffix(".har") && !$0.hasPrefix("__MACOSX/")
      }
      let entries = Dictionary(archive.entries.map { ($0.name, $0) }) { first, _ in first }
      guard let name = names.first, names.count == 1, let har = entries[name] else {
        throw .format("an archive with \(names.count) .har files")
      }
      let folder = name.split(separator: "/").dropLast().map { "\($0)/" }.joined()
      let attachments = HARAttachments { name throws(HARAttachments.Problem) in
        guard let entry = entries[folder + name] else { throw .init(reason: "is missing") }
        do throws(ReadingError) {
          return try archive.open(entry, bytesMax: most).content
        } catch { throw .init(reason: "\(error)") }
      }
      return (try archive.open(har, bytesMax: most).content, attachments)
    } catch {
      let advice = "Unzip it, and convert the .har file in it."
      throw Refusal(.data, "\(file.relativePath) \(error). \(advice)")
    }
  }
}
