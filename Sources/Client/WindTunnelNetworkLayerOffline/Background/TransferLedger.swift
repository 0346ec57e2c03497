internal import Foundation
internal import WindTunnelNetworkLayer

/// The transfers of an app on disk: one file per transfer, and files with its content.
///
/// A transfer is stored before it starts, and its result before the app is informed. The next
/// process therefore finds both. One process at a time can open a ledger.
struct TransferLedger {
  /// The maximum number of transfers.
  static let mostTransfers = 1000
  /// The maximum size of a transfer's file in bytes.
  private static let rowBytesMax = 4 << 20
  static let disk = OutboxDisk()

  let folder: URL
  /// Locks the folder for the lifetime of this value.
  private let lock: FolderLock
  private(set) var entries: [String: TransferEntry] = [:]
  /// The names of the files that could not be read.
  private(set) var damaged: [String] = []
  private var lastNumber = 0

  init(at folder: URL) throws(TransferError) {
    self.folder = folder
    do throws(OutboxError) {
      try Self.disk.makeFolder(folder)
      lock = try FolderLock(folder.appending(path: "lock"))
      for name in try Self.disk.names(in: folder).sorted() where name.hasSuffix(".transfer") {
        let file = folder.appending(path: name)
        guard let entry = try Self.entry(in: file) else {
          try Self.disk.setAside(file)
          damaged.append(name)
          continue
        }
        entries[entry.id] = entry
      }
    } catch {
      throw TransferError(error)
    }
    lastNumber = entries.values.lazy.map(\.number).max() ?? 0
    // The process ended while these transfers were being taken.
    for entry in entries.values where entry.ending?.hasFile == true {
      let file = Self.file(of: entry.id, in: folder)
      if !FileManager.default.fileExists(atPath: file.path) { forget(entry.id) }
    }
    removeStrangers()
  }

  /// The transfers in the order of their numbers.
  var rows: [TransferEntry] { entries.values.sorted { $0.number < $1.number } }

  /// Returns the number of the next transfer.
  mutating func nextNumber() -> Int {
    lastNumber += 1
    return lastNumber
  }

  /// The file with the received content.
  static func file(of id: String, in folder: URL) -> URL { folder.appending(path: "\(id).came") }

  /// The file with the content to send.
  func content(of id: String) -> URL { folder.appending(path: "\(id).content") }

  /// Writes a transfer durably.
  mutating func put(_ entry: TransferEntry) throws(TransferError) {
    do {
      let row = try JSONEncoder().encode(entry)
      guard row.count <= Self.rowBytesMax else {
        throw TransferError.disk(
          "The transfer \"\(entry.label)\" has header fields of more than \(Self.rowBytesMax) "
            + "bytes; send fewer."
        )
      }
      try Self.disk.put(row, at: self.row(of: entry.id))
    } catch let error as OutboxError {
      throw TransferError(error)
    } catch {
      throw error as? TransferError ?? .disk("\(error)")
    }
    entries[entry.id] = entry
  }

  /// Removes a transfer with its files, first the file of the transfer itself.
  mutating func forget(_ id: String) {
    entries[id] = nil
    Self.disk.remove(row(of: id))
    Self.disk.remove(content(of: id))
    Self.disk.remove(Self.file(of: id, in: folder))
  }

  /// Copies the content for a transfer, so that it does not change, and returns its size in bytes.
  func keep(_ content: SentFile, of id: String) throws(TransferError) -> Int {
    let place = self.content(of: id)
    do {
      try FileManager.default.copyItem(at: content.url, to: place)
      try Self.disk.syncFile(place)
      return try FileManager.default.attributesOfItem(atPath: place.path)[.size] as? Int ?? 0
    } catch let error as OutboxError {
      throw TransferError(error)
    } catch {
      throw .disk("The content cannot be stored: \(error.localizedDescription)")
    }
  }

  /// Moves a file durably, and replaces an existing file. To another disk it is copied first.
  static func move(_ file: URL, to place: URL) throws(TransferError) {
    do throws(OutboxError) {
      if rename(file.path, place.path) != 0, !isMoved(file, to: place, errno) {
        guard errno == EXDEV else { throw OutboxError(errno, "move", file) }
        let half = place.appendingPathExtension("\(UUID()).half")
        do { try FileManager.default.copyItem(at: file, to: half) } catch {
          Self.disk.remove(half)
          throw .disk("\"\(place.path)\" cannot be written: \(error.localizedDescription)")
        }
        try Self.disk.move(half, to: place)
        Self.disk.remove(file)
      }
      try Self.disk.syncFile(place)
      try Self.disk.syncFolder(place.deletingLastPathComponent())
    } catch {
      throw TransferError(error)
    }
  }

  /// Returns whether an earlier attempt moved the file and then failed.
  private static func isMoved(_ file: URL, to place: URL, _ reason: Int32) -> Bool {
    defer { errno = reason }
    return reason == ENOENT && access(file.path, F_OK) != 0 && access(place.path, F_OK) == 0
  }

  private func row(of id: String) -> URL { folder.appending(path: "\(id).transfer") }

  private static func entry(in file: URL) throws(OutboxError) -> TransferEntry? {
    let row: Data?
    do throws(OutboxError) { row = try Self.disk.contents(of: file, upTo: rowBytesMax) } catch {
      if case .damaged = error { return nil }
      throw error
    }
    // A file that cannot be decoded was not written by this type.
    let entry = row.flatMap { try? JSONDecoder().decode(TransferEntry.self, from: $0) }
    return entry.flatMap { "\($0.id).transfer" == file.lastPathComponent ? $0 : nil }
  }

  /// Removes content without a transfer, which remains if the process is killed.
  private func removeStrangers() {
    // The folder was readable a moment ago. Remaining files are removed at the next start.
    for name in (try? Self.disk.names(in: folder)) ?? [] {
      let parts = name.split(separator: ".", maxSplits: 1).map(String.init)
      let isHalf =
        name.hasSuffix(".half") || name.hasSuffix(".part")
        || name.hasSuffix(".transfer.new")
      guard parts.count == 2, isHalf || ["came", "content"].contains(parts[1]) else { continue }
      if isHalf || entries[parts[0]] == nil { Self.disk.remove(folder.appending(path: name)) }
    }
  }
}
