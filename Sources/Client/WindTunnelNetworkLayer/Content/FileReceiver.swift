package import Foundation
internal import WindTunnelSymptoms

/// A receiver that writes the content to a file, and resumes after a lost connection (RFC 9110
/// §14).
///
/// All parts of a file belong to one version, according to its validator. Until the file is
/// complete, its bytes are in a temporary file in the same directory.
package final class FileReceiver: Receiver {
  /// The part of the file that has been received.
  private struct Part: Sendable {
    var count: Int64 = 0
    /// The version's validator for requesting the rest; `nil` if the rest cannot be requested.
    var validator: String?
    /// The length of the whole file; `nil` if no server reported it.
    var total: Int64?
    /// The number of bytes expected at the end of the attempt; `nil` if it is unknown.
    var expected: Int64?
    /// The digest of the whole file from the server (RFC 9530), in base64.
    var digest: String?
    /// Whether the file is complete.
    var isWhole = false
  }

  private let file: URL
  private let place: URL
  private let check: FileCheck
  private let progress: TransferProgress?
  private let date: @Sendable () -> Date
  private let part = Locked(Part())

  /// Creates a receiver of one call, for a file that may not exist yet.
  package init(
    _ file: URL,
    _ check: FileCheck,
    _ progress: TransferProgress?,
    date: @escaping @Sendable () -> Date
  ) {
    (self.file, self.check, self.progress, self.date) = (file, check, progress, date)
    // A name of its own, because a suffix might make a long name too long.
    let name = ".\(UUID().uuidString).part"
    place = file.deletingLastPathComponent().appendingPathComponent(name)
  }

  // After an incomplete download the temporary file is useless; after a complete one it was moved.
  deinit { try? FileManager.default.removeItem(at: place) }

  // MARK: An attempt

  package func asking(_ request: URLRequest) -> URLRequest {
    var request = request
    // Ranges count the bytes of the coded content, which differs between codings (RFC 9110 §8.4).
    request.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
    let part = part.withLock { $0 }
    guard part.count > 0, let validator = part.validator, part.count != part.total else {
      return request
    }
    request.setValue("bytes=\(part.count)-", forHTTPHeaderField: "Range")
    request.setValue(validator, forHTTPHeaderField: "If-Range")
    return request
  }

  package func take(_ answer: StreamedResponse) async throws(TransportError) -> ServerResponse {
    switch answer.status {
    case 206:
      try goOn(answer)
    case 200...299:
      begin(answer)
    case 416 where part.withLock({ $0.count > 0 }):
      // The received bytes are not part of the server's current version.
      throw anew("The server no longer has this part")
    default:
      return try await answer.collected(to: StreamedResponse.otherBytesMax)
    }
    return answer.head(bytesElsewhere: try await write(answer))
  }

  /// Begins with the whole file.
  private func begin(_ answer: StreamedResponse) {
    let isCoded = answer.headers["Content-Encoding"].map { $0.lowercased() != "identity" } ?? false
    part.withLock {
      $0 = Part(
        validator: isCoded ? nil : answer.headers.rangeValidator(at: date()),
        total: isCoded ? nil : answer.length,
        // For a coded response, the digest is that of the coded bytes, which are not available.
        digest: isCoded ? nil : answer.headers.sha256
      )
    }
  }

  /// Continues with the missing part.
  private func goOn(_ answer: StreamedResponse) throws(TransportError) {
    let range = answer.headers["Content-Range"].flatMap(ContentRange.init)
    let isNext = part.withLock { part in
      // A server that does not support `If-Range` may send a part of another version.
      guard let range, range.first == part.count, answer.headers.names(part.validator),
        part.total == nil || range.total == nil || part.total == range.total
      else { return false }
      part.total = part.total ?? range.total
      // If the length of the whole is unknown, the part's own end is the only expectation.
      part.expected = range.last + 1
      return true
    }
    if !isNext { throw anew("The server sent a part of another version") }
  }

  /// Discards the received part, so that the next attempt requests the whole file.
  private func anew(_ reason: String) -> TransportError {
    part.withLock { $0 = Part() }
    return .failed(.truncated, text: "\(reason); download the file again.")
  }

  /// Writes the content and returns the number of bytes received.
  private func write(_ answer: StreamedResponse) async throws(TransportError) -> Int64 {
    let start = part.withLock { $0.count }
    let handle = try filing("written") { () throws in
      if start == 0 { try Data().write(to: place) }
      let handle = try FileHandle(forWritingTo: place)
      try handle.truncate(atOffset: UInt64(start))
      return handle
    }
    // An error from closing is irrelevant: the file is only read afterwards.
    defer { try? handle.close() }
    do throws(TransportError) {
      try await answer.pass { piece throws(TransportError) in
        try filing("written") { () throws in try handle.write(contentsOf: piece) }
        let (count, total) = part.withLock { part in
          part.count += Int64(piece.count)
          return (part.count, part.total)
        }
        progress?.received(count, of: total)
      }
    } catch {
      // A connection that is lost after the last byte does not matter.
      let isAllThere = part.withLock { $0.total == $0.count && $0.count > start }
      guard isAllThere, case .failed = error else { throw error }
    }
    let (count, wanted) = part.withLock { ($0.count, $0.total ?? $0.expected) }
    if let wanted, count != wanted {
      throw .failed(.truncated, text: "\(count) of \(wanted) bytes arrived.")
    }
    try filing("written") { () throws in try handle.synchronize() }
    part.withLock { $0.isWhole = true }
    return count - start
  }

  private func filing<Value>(
    _ deed: String,
    _ work: () throws -> Value
  ) throws(TransportError) -> Value {
    do { return try work() } catch {
      throw .file("\(file.lastPathComponent) cannot be \(deed): \(error.localizedDescription)")
    }
  }

  // MARK: The end

  /// Checks the file and moves it to its destination atomically, with rename(2).
  ///
  /// - Parameter answer: The final response of the call.
  /// - Throws: ``NetworkError`` if the file is missing or is not the expected one.
  package func finish(_ answer: CallResponse) throws(NetworkError) {
    let part = part.withLock { $0 }
    // The rules may accept a response without a file, such as a redirect.
    guard part.isWhole else { throw .server(status: answer.status, body: answer.body) }
    if Task.isCancelled { throw .cancelled }
    let total = check.bytes ?? part.total
    if let total, total != part.count {
      throw .decode(.content("The file has \(part.count) bytes instead of \(total)."))
    }
    do {
      let digests = Set([check.sha256, part.digest].compactMap(\.self))
      if !digests.isEmpty, digests != [try FileDigest.sha256(of: place)] {
        throw NetworkError.decode(.content("The file does not have the expected SHA-256."))
      }
      // Computing the digest of a large file takes a while.
      if Task.isCancelled { throw NetworkError.cancelled }
      guard rename(place.path, file.path) == 0 else {
        throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
      }
    } catch let error as NetworkError {
      throw error
    } catch {
      throw .file("\(file.lastPathComponent) cannot be written: \(error.localizedDescription)")
    }
  }
}

/// The expected length and digest of a file.
public struct FileCheck: Sendable, Hashable {
  /// The number of bytes; `nil` to use the server's value.
  public var bytes: Int64?
  /// The SHA-256 of the bytes in base64; `nil` to use the server's `Repr-Digest` (RFC 9530), if
  /// any.
  public var sha256: String?

  /// Creates a check from the known values.
  public init(bytes: Int64? = nil, sha256: String? = nil) {
    (self.bytes, self.sha256) = (bytes, sha256)
  }
}

/// The value of `Content-Range` (RFC 9110 §14.4), such as `bytes 42-1233/1234`.
struct ContentRange: Hashable {
  let first: Int64
  let last: Int64
  /// The length of the whole; `nil` if the server does not know it.
  let total: Int64?

  init?(_ text: String) {
    let parts = text.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, parts[0].lowercased() == "bytes" else { return nil }
    let range = parts[1].split(separator: "/", omittingEmptySubsequences: false)
    guard range.count == 2 else { return nil }
    let ends = range[0].split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, let first = Int64(ends[0]), let last = Int64(ends[1]),
      first >= 0, first <= last
    else { return nil }
    let total = Int64(range[1])
    guard total.map({ $0 > last }) ?? (range[1] == "*") else { return nil }
    (self.first, self.last, self.total) = (first, last, total)
  }
}

extension Headers {
  /// The validator for requesting parts of this version (RFC 9110 §13.1.5).
  ///
  /// It is a strong tag, or a modification date that is at least a second older than the response
  /// and therefore strong (§8.8.2.2).
  fileprivate func rangeValidator(at now: Date) -> String? {
    if let tag = self["ETag"] { return tag.hasPrefix("W/") ? nil : tag }
    guard let modified = self["Last-Modified"],
      let sent = self["Date"].flatMap({ HTTPDate.parse($0, now: now) }),
      let date = HTTPDate.parse(modified, now: now), sent.timeIntervalSince(date) >= 1
    else { return nil }
    return modified
  }

  /// Returns whether a response belongs to the version of a validator: its own is equal or missing.
  fileprivate func names(_ validator: String?) -> Bool {
    if let tag = self["ETag"] { return tag == validator }
    guard let modified = self["Last-Modified"] else { return true }
    return modified == validator || validator?.hasPrefix("\"") == true
  }

  /// The SHA-256 of the whole in `Repr-Digest` (RFC 9530 §3), in base64.
  fileprivate var sha256: String? {
    let digests = self["Repr-Digest"]?.split(separator: ",") ?? []
    for digest in digests.map({ $0.trimmingCharacters(in: .whitespaces) })
    where digest.hasPrefix("sha-256=:") && digest.hasSuffix(":") {
      return String(digest.dropFirst(9).dropLast())
    }
    return nil
  }
}
