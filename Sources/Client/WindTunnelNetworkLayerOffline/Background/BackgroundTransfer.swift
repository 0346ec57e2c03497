public import Foundation
public import WindTunnelNetworkLayer
internal import WindTunnelSymptoms

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// A download or an upload that outlives the process which started it, as its ledger has it.
public struct BackgroundTransfer: Sendable, Hashable, Identifiable {
  /// The directions of a transfer.
  public enum Kind: String, Sendable, Hashable, Codable {
    /// The content of an answer goes to a file.
    case download
    /// The content of a request comes from a file.
    case upload
  }

  let entry: TransferEntry
  /// The folder of the ledger.
  let folder: URL

  /// The id, which no other transfer has, of this launch or another.
  public var id: String { entry.id }
  /// The app's own word for it, by which it is known after a relaunch.
  public var label: String { entry.label }
  /// The direction of the transfer.
  public var kind: Kind { entry.kind }
  /// The number of times that it was begun: more than once where it was lost on the way.
  public var starts: Int { entry.starts }

  /// The answer, or the error that it ended with, as a call of its endpoint would; `nil` while it
  /// is under way.
  public var result: Result<CallResponse, NetworkError>? { entry.ending.map { entry.result($0) } }

  /// The file that was downloaded, in the ledger's folder until it is taken; `nil` where there is
  /// none.
  public var file: URL? {
    entry.ending?.hasFile == true ? TransferLedger.file(of: entry.id, in: folder) : nil
  }

  /// The history of the transfer, as that of a call: `call` counts the transfers of a ledger, and
  /// the time is that of the clock on the wall.
  public var record: CallRecord { entry.record }
}

/// The row of one transfer on the disk.
struct TransferEntry: Sendable, Hashable, Codable {

  /// The end of a transfer.
  struct Ending: Sendable, Hashable, Codable {
    var date: Date
    /// The status of the answer; `nil` where there was none.
    var status: Int?
    var headers: [Headers.Field] = []
    /// The content of an answer that is in no file, as far as it is kept.
    var body = Data()
    /// The number of bytes of content.
    var bytes = 0
    /// Tells whether the content is in the file of the transfer.
    var hasFile = false
    /// The error in place of an answer.
    var failure: Failure?
  }

  /// An error in place of an answer.
  struct Failure: Sendable, Hashable, Codable {
    /// The symptom of the network; `nil`: it is an error of a file.
    var symptom: Symptom?
    var text: String
  }

  let id: String
  let label: String
  let kind: BackgroundTransfer.Kind
  /// The number of the transfer in its ledger, from 1.
  let number: Int
  let url: URL
  let method: String
  let headers: [Headers.Field]
  let timeout: TimeInterval
  let template: String
  let priority: CallPriority
  let rules: ResponseRules
  /// The number of bytes that are sent.
  let bytes: Int
  let started: Date
  var starts: Int
  var engine: String
  var ending: Ending?

  var request: URLRequest {
    // What a session has kept is what nobody asks for.
    var request = URLRequest(
      url: url,
      cachePolicy: .reloadIgnoringLocalCacheData,
      timeoutInterval: timeout
    )
    request.httpMethod = method
    for field in headers { request.addValue(field.value, forHTTPHeaderField: field.name) }
    return request
  }

  func result(_ ending: Ending) -> Result<CallResponse, NetworkError> {
    if let failure = ending.failure { return .failure(failure.error) }
    let headers = Headers(ending.headers)
    var answer = ServerResponse(status: ending.status ?? 0, headers: headers, body: ending.body)
    if answer.status == 429 {
      return .failure(.rateLimited(retryAfter: answer.retryAfter(at: ending.date)))
    }
    if ending.hasFile { answer.bytesElsewhere = Int64(ending.bytes) }
    if let breach = rules.breach(by: answer) { return .failure(breach) }
    // The rules may take an answer that brings no file, such as one that leads elsewhere.
    if kind == .download, !ending.hasFile {
      return .failure(.server(status: answer.status, body: answer.body))
    }
    return .success(
      CallResponse(status: answer.status, headers: headers, body: ending.body, attempts: starts)
    )
  }

  var record: CallRecord {
    var record = CallRecord(
      call: number,
      in: CallRecord.production,
      .init(method: method, template: template, host: url.origin, priority: priority, bytes: bytes)
    )
    record.system.engine = engine
    record.counters.attempts = starts
    record.state = .running
    guard let ending else { return record }
    let elapsed = ending.date.timeIntervalSince(started)
    // A clock that was set back says nothing.
    record.counters.elapsed = .milliseconds(Int64(max(0, elapsed) * 1000))
    record.response.status = ending.status
    record.response.bytes = ending.bytes
    switch result(ending) {
    case .success(let answer):
      record.state = .answered
      record.response.source = answer.source
    case .failure(let error):
      record.state = error == .cancelled ? .cancelled : .failed
      record.response.failure = CallRecord.Failure(error)
    }
    return record
  }
}

extension TransferEntry.Failure {
  init(_ error: TransportError) {
    switch error {
    case .cancelled: self.init(symptom: .cancelled, text: "")
    case .failed(let symptom, let text): self.init(symptom: symptom, text: text)
    case .file(let text): self.init(symptom: nil, text: text)
    }
  }

  var error: NetworkError {
    switch symptom {
    case .cancelled: .cancelled
    case .offline: .offline(text: text)
    case let symptom?: .transport(symptom, text: text)
    case nil: .file(text)
    }
  }
}

extension TransferEntry.Ending {
  /// Makes the end with an answer, whose content is here as far as it is in no file.
  init(_ answer: ServerResponse, at date: Date) {
    self.init(
      date: date,
      status: answer.status,
      headers: answer.headers.fields,
      body: answer.body.prefix(Self.bodyBytesMax),
      bytes: answer.bytes
    )
  }

  /// The most bytes of content that a row keeps.
  static let bodyBytesMax = StreamedResponse.otherBytesMax
}

/// An event of background transfers.
public enum TransferEvent: Sendable, Hashable {
  /// A transfer ended, and its result is on the disk.
  case ended(BackgroundTransfer)
  /// A transfer was lost on the way, as by a kill, and is begun anew.
  case begunAnew(BackgroundTransfer)
  /// The disk refused what has to be noted of a transfer; it is begun anew at the next launch.
  case diskFailed(id: String, TransferError)
  /// A row of the ledger is no row, and stays under a name that ends in `.damaged`.
  case damaged(file: String)
}

/// The error of a transfer that is not begun, or not taken.
public enum TransferError: Error, Sendable, Hashable {
  /// The endpoint has no valid request.
  case invalidRequest(RequestError)
  /// The endpoint wants what no background transfer can have, with the reason and the fix.
  case notInBackground(String)
  /// Another process, or another value in this one, holds the ledger's folder.
  case inUse(String)
  /// The ledger has as many transfers as it may have.
  case full(most: Int)
  /// The ledger has no transfer of this id.
  case unknown(id: String)
  /// The transfer is under way still.
  case underWay(id: String)
  /// The disk or a file failed, in one sentence.
  case disk(String)
}

extension TransferError: CustomStringConvertible {
  /// The error in one sentence, with the fix.
  public var description: String {
    switch self {
    case .invalidRequest(let error): error.description
    case .notInBackground(let reason): reason
    case .inUse(let folder):
      "The transfers in \"\(folder)\" are in use: one process at a time holds them; end the other "
        + "one, or name another folder."
    case .full(let most):
      "There are \(most) transfers, which is the limit; take or cancel those that have ended."
    case .unknown(let id):
      "There is no transfer \"\(id)\": it was taken or cancelled, or is in another folder."
    case .underWay(let id): "The transfer \"\(id)\" is under way still; wait for its end."
    case .disk(let text): text
    }
  }
}

extension TransferError {
  /// Makes the error of a file that the ledger needs.
  init(_ error: OutboxError) {
    switch error {
    case .inUse(let folder): self = .inUse(folder)
    case .diskFull(let file):
      self = .disk("The disk is full: \"\(file)\" cannot be written. Make room and try again.")
    case .notWritable(let file):
      self = .disk(
        "\"\(file)\" cannot be written: its folder or disk may only be read. Name a folder of the "
          + "app's own."
      )
    case let other: self = .disk(other.description)
    }
  }
}
