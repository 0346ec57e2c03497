package import Foundation
internal import WindTunnelSymptoms

#if canImport(FoundationNetworking)
  package import FoundationNetworking
#endif

/// A receiver that writes the content to a file, and goes on after a loss where it was (RFC 9110
/// §14): the parts of a file are of one version, by its validator.
///
/// What has come is in a file of its own beside the wanted one, until it is whole.
package final class FileReceiver: Receiver {
  /// The part of the file that is there.
  private struct Part: Sendable {
    var count: Int64 = 0
    /// The version's validator that a part may be asked for by; `nil`: by none.
    var validator: String?
    /// The length of the whole; `nil` where no server has said it.
    var total: Int64?
    /// The number of bytes that there are at the end of the attempt; `nil`: nobody has said it.
    var expected: Int64?
    /// The digest of the whole that the server named (RFC 9530), in base64.
    var digest: String?
    /// Tells whether all of it is there.
    var isWhole = false
  }

  private let file: URL
  private let place: URL
  private let check: FileCheck
  private let progress: TransferProgress?
  private let date: @Sendable () -> Date
  private let part = Locked(Part())

  /// Makes a receiver of one call, for a file that need not be there.
  package init(
    _ file: URL,
    _ check: FileCheck,
    _ progress: TransferProgress?,
    date: @escaping @Sendable () -> Date
  ) {
    (self.file, self.check, self.progress, self.date) = (file, check, progress, date)
    // A name of its own: a suffix might make a long one too long.
    let name = ".\(UUID().uuidString).part"
    place = file.deletingLastPathComponent().appendingPathComponent(name)
  }

  // Where it was not moved it is of no use; where it was it is not there.
  deinit { try? FileManager.default.removeItem(at: place) }

  // MARK: An attempt

  package func asking(_ request: URLRequest) -> URLRequest {
    var request = request
    // Ranges count the bytes of a coded content, which is another for each coding (RFC 9110 §8.4).
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
      // What is there is no part of what the server has now.
      throw anew("The server has no such part any more")
    default:
      return try await answer.collected(to: StreamedResponse.otherBytesMax)
    }
    return answer.head(bytesElsewhere: try await write(answer))
  }

  /// Begins with the whole.
  private func begin(_ answer: StreamedResponse) {
    let isCoded = answer.headers["Content-Encoding"].map { $0.lowercased() != "identity" } ?? false
    part.withLock {
      $0 = Part(
        validator: isCoded ? nil : answer.headers.rangeValidator(at: date()),
        total: isCoded ? nil : answer.length,
        // That of the coded bytes, which nobody has any more.
        digest: isCoded ? nil : answer.headers.sha256
      )
    }
  }

  /// Goes on with the part that is missing.
  private func goOn(_ answer: StreamedResponse) throws(TransportError) {
    let range = answer.headers["Content-Range"].flatMap(ContentRange.init)
    let isNext = part.withLock { part in
      // Of a server that does not know `If-Range` it may be a part of another version.
      guard let range, range.first == part.count, answer.headers.names(part.validator),
        part.total == nil || range.total == nil || part.total == range.total
      else { return false }
      part.total = part.total ?? range.total
      // Of a whole without a known length the part's own end is all there is to go by.
      part.expected = range.last + 1
      return true
    }
    if !isNext { throw anew("The server sent a part of another version") }
  }

  /// Forgets what there is, so that the next attempt asks for the whole.
  private func anew(_ reason: String) -> TransportError {
    part.withLock { $0 = Part() }
    return .failed(.truncated, text: "\(reason); the file has to come anew.")
  }

  /// Returns the number of bytes that have come.
  private func write(_ answer: StreamedResponse) async throws(TransportError) -> Int64 {
    let start = part.withLock { $0.count }
    let handle = try filing("written") { () throws in
      if start == 0 { try Data().write(to: place) }
      let handle = try FileHandle(forWritingTo: place)
      try handle.truncate(atOffset: UInt64(start))
      return handle
    }
    // The last word of a file that is only read from now on says nothing.
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
      // A connection that is lost behind the last byte has lost nothing.
      let isAllThere = part.withLock { $0.total == $0.count && $0.count > start }
      guard isAllThere, case .failed = error else { throw error }
    }
    let (count, wanted) = part.withLock { ($0.count, $0.total ?? $0.expected) }
    if let wanted, count != wanted {
      throw .failed(.truncated, text: "\(count) of \(wanted) bytes came.")
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

  /// Looks whether the file is what it should be, and puts it where it is wanted: at once, as
  /// rename(2) does.
  ///
  /// - Parameter answer: The answer that the call ended with.
  /// - Throws: ``NetworkError`` where it is another file, or none.
  package func finish(_ answer: CallResponse) throws(NetworkError) {
    let part = part.withLock { $0 }
    // The rules may take an answer that brings no file, such as one that leads elsewhere.
    guard part.isWhole else { throw .server(status: answer.status, body: answer.body) }
    if Task.isCancelled { throw .cancelled }
    let total = check.bytes ?? part.total
    if let total, total != part.count {
      throw .decode(.content("The file has \(part.count) bytes, and should have \(total)."))
    }
    do {
      let digests = Set([check.sha256, part.digest].compactMap(\.self))
      if !digests.isEmpty, digests != [try FileDigest.sha256(of: place)] {
        throw NetworkError.decode(.content("The file has another SHA-256 than it should have."))
      }
      // To look through a large file takes a while.
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

/// The things by which a file is known to be the right one.
public struct FileCheck: Sendable, Hashable {
  /// The number of bytes; `nil`: what the server says.
  public var bytes: Int64?
  /// The SHA-256 of the bytes in base64; `nil`: what the server says in `Repr-Digest` (RFC 9530),
  /// if it does.
  public var sha256: String?

  /// Makes a check of what is known.
  public init(bytes: Int64? = nil, sha256: String? = nil) {
    (self.bytes, self.sha256) = (bytes, sha256)
  }
}

/// The value of `Content-Range` (RFC 9110 §14.4), such as `bytes 42-1233/1234`.
struct ContentRange: Hashable {
  let first: Int64
  let last: Int64
  /// The length of the whole; `nil` where the server does not know it.
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
  /// The validator that parts of this version may be asked for by (RFC 9110 §13.1.5): a strong tag,
  /// or a date that is older than the answer by so much that it is strong (§8.8.2.2).
  fileprivate func rangeValidator(at now: Date) -> String? {
    if let tag = self["ETag"] { return tag.hasPrefix("W/") ? nil : tag }
    guard let modified = self["Last-Modified"],
      let sent = self["Date"].flatMap({ HTTPDate.parse($0, now: now) }),
      let date = HTTPDate.parse(modified, now: now), sent.timeIntervalSince(date) >= 1
    else { return nil }
    return modified
  }

  /// Tells whether an answer is of the version that a validator names: it has the same, or says
  /// nothing of its own.
  fileprivate func names(_ validator: String?) -> Bool {
    if let tag = self["ETag"] { return tag == validator }
    guard let modified = self["Last-Modified"] else { return true }
    return modified == validator || validator?.hasPrefix("\"") == true
  }

  /// The SHA-256 of the whole that `Repr-Digest` names (RFC 9530 §3), in base64.
  fileprivate var sha256: String? {
    let digests = self["Repr-Digest"]?.split(separator: ",") ?? []
    for digest in digests.map({ $0.trimmingCharacters(in: .whitespaces) })
    where digest.hasPrefix("sha-256=:") && digest.hasSuffix(":") {
      return String(digest.dropFirst(9).dropLast())
    }
    return nil
  }
}
