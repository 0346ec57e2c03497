internal import Foundation
internal import WindTunnel

extension HarmlessAnswer {
  /// All harmless answers, each under a path of its own.
  public static let all: [HarmlessAnswer] = lists.flatMap { $0 }

  private static let lists: [[HarmlessAnswer]] = [
    numbers, schemas, samples, texts, labels, pages, symbols, words, worldlyWords, publicKeys,
    checksums, repeated, fields,
  ]

  /// One answer that was asked for with GET.
  static func get(
    _ kind: String,
    _ title: String,
    _ url: String,
    _ body: String,
    _ type: String = "application/json",
    asked: HeaderFields = [:],
    answered: HeaderFields = [:]
  ) -> HarmlessAnswer {
    let exchange = Lot.exchange(
      "GET",
      address(url),
      asked,
      answer: Body(body),
      type: type,
      answerHeaders: answered
    )
    return HarmlessAnswer(kind, title, [exchange])
  }

  /// One body that was sent with POST, and its answer.
  static func post(
    _ kind: String,
    _ title: String,
    _ url: String,
    _ sent: String,
    as sentType: String = "application/json",
    status: Int = 200,
    _ body: String = "",
    _ type: String = "application/json"
  ) -> HarmlessAnswer {
    let exchange = Lot.exchange(
      "POST",
      address(url),
      ["Content-Type": sentType],
      Body(sent),
      status: status,
      answer: Body(body),
      type: type
    )
    return HarmlessAnswer(kind, title, [exchange])
  }

  /// The whole address of a path; an address stays as it is.
  static func address(_ url: String) -> String {
    url.hasPrefix("/") ? "https://api.example.test" + url : url
  }

  /// The text in base64, as cursors are written.
  static func coded(_ text: String) -> String { Data(text.utf8).base64EncodedString() }
}
