public import Foundation
public import WindTunnelNetworkLayer
internal import WindTunnelSymptoms

/// A download or an upload that can outlive the process that started it, as its ledger stores it.
public struct BackgroundTransfer: Sendable, Hashable, Identifiable {
  /// The directions of a transfer.
  public enum Kind: String, Sendable, Hashable, Codable {
    /// The content of a response is written to a file.
    case download
    /// The content of a request is read from a file.
    case upload
  }

  let entry: TransferEntry
  /// The folder of the ledger.
  let folder: URL

  /// The id, which is unique across transfers and launches.
  public var id: String { entry.id }
  /// The app's own name for the transfer, which identifies it after a relaunch.
  public var label: String { entry.label }
  /// The direction of the transfer.
  public var kind: Kind { entry.kind }
  /// The number of times that it was started; more than 1 if it was lost before it ended.
  public var starts: Int { entry.starts }

  /// The response, or the error, as a call of its endpoint would return it; `nil` while in
  /// progress.
  public var result: Result<CallResponse, NetworkError>? { entry.ending.map { entry.result($0) } }

  /// The downloaded file in the ledger's folder, until it is taken; `nil` if there is none.
  public var file: URL? {
    entry.ending?.hasFile == true ? TransferLedger.file(of: entry.id, in: folder) : nil
  }

  /// The history of the transfer, like that of a call.
  ///
  /// `call` is the number of the transfer in its ledger, and times are measured with the system
  /// clock.
  public var record: CallRecord { entry.record }
}

/// A transfer as it is stored on disk.
struct TransferEntry: Sendable, Hashable, Codable {

  /// The result of a transfer.
  struct Completion: Sendable, Hashable, Codable {
    var date: Date
    /// The status of the response; `nil` if there was none.
    var status: Int?
    var headers: [Headers.Field] = []
    /// The content of a response that is not in a file, up to the limit.
    var body = Data()
    /// The number of bytes of content.
    var bytes = 0
    /// Whether the content is in the file of the transfer.
    var hasFile = false
    /// The error, if there was no response.
    var failure: Failure?
  }

  /// An error in place of a response.
  struct Failure: Sendable, Hashable, Codable {
    /// The symptom of the network; `nil` for an error of a file.
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
  /// The number of bytes to send.
  let bytes: Int
  let started: Date
  var starts: Int
  var engine: String
  var ending: Completion?

  var request: URLRequest {
    // A response in the session's own cache is not wanted.
    var request = URLRequest(
      url: url,
      cachePolicy: .reloadIgnoringLocalCacheData,
      timeoutInterval: timeout
    )
    request.httpMethod = method
    for field in headers { request.addValue(field.value, forHTTPHeaderField: field.name) }
    return request
  }

  func result(_ ending: Completion) -> Result<CallResponse, NetworkError> {
    if let failure = ending.failure { return .failure(failure.error) }
    let headers = Headers(ending.headers)
    var answer = ServerResponse(status: ending.status ?? 0, headers: headers, body: ending.body)
    if answer.status == 429 {
      return .failure(.rateLimited(retryAfter: answer.retryAfter(at: ending.date)))
    }
    if ending.hasFile { answer.bytesElsewhere = Int64(ending.bytes) }
    if let breach = rules.breach(by: answer) { return .failure(breach) }
    // The rules may accept a response without a file, such as a redirect.
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
    // If the clock was set back, the difference is meaningless.
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
    case let symptom?: TransportError.failed(symptom, text: text).asNetworkError
    case nil: .file(text)
    }
  }
}

extension TransferEntry.Completion {
  /// Creates the result for a response, with its content unless that is in a file.
  init(_ answer: ServerResponse, at date: Date) {
    self.init(
      date: date,
      status: answer.status,
      headers: answer.headers.fields,
      body: answer.body.prefix(Self.bodyBytesMax),
      bytes: answer.bytes
    )
  }

  /// The maximum number of bytes of content that is stored with the transfer.
  static let bodyBytesMax = StreamedResponse.otherBytesMax
}

/// An event of background transfers.
public enum TransferEvent: Sendable, Hashable {
  /// A transfer ended, and its result is on disk.
  case ended(BackgroundTransfer)
  /// A transfer was lost, such as when the process was killed, and was started again.
  case begunAnew(BackgroundTransfer)
  /// The disk refused to store the state of a transfer, which is started again at the next launch.
  case diskFailed(id: String, TransferError)
  /// A file of the ledger is invalid, and was renamed to end in `.damaged`.
  case damaged(file: String)
}

/// The error of a transfer that cannot be started or taken.
public enum TransferError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The endpoint is not a valid request.
  case invalidRequest(RequestError)
  /// The endpoint requires something that background transfers do not support, with the fix.
  case notInBackground(String)
  /// Another process, or another value in this process, holds the ledger's folder.
  case inUse(String)
  /// The ledger has the maximum number of transfers.
  case full(most: Int)
  /// The ledger has no transfer with this id.
  case unknown(id: String)
  /// The transfer is still in progress.
  case underWay(id: String)
  /// The disk or a file failed, described in one sentence.
  case disk(String)

  /// The error in one sentence, with the fix.
  public var description: String {
    switch self {
    case .invalidRequest(let error): error.description
    case .notInBackground(let reason): reason
    case .inUse(let folder):
      "The transfers in \"\(folder)\" are in use by another process. End that process, or use "
        + "another folder."
    case .full(let most):
      "There are \(most) transfers, the maximum; take or cancel finished transfers."
    case .unknown(let id):
      "The transfer \"\(id)\" does not exist: it was taken or cancelled, or is in another folder."
    case .underWay(let id): "The transfer \"\(id)\" is still in progress; wait for its end."
    case .disk(let text): text
    }
  }
}

extension TransferError {
  /// Creates the error for a file error of the ledger.
  init(_ error: OutboxError) {
    switch error {
    case .inUse(let folder): self = .inUse(folder)
    case .diskFull(let file):
      self = .disk("The disk is full: \"\(file)\" cannot be written. Make room and try again.")
    case .notWritable(let file):
      self = .disk(
        "\"\(file)\" cannot be written: its folder or disk is read-only. Use a folder of the "
          + "app."
      )
    case let other: self = .disk(other.description)
    }
  }
}
