/// A client that a drill can run: code of yours, a bare `URLSession`, a program, or a client that
/// another module adds.
///
/// ```swift
/// let shop = DrillSubject("shop") { call in
///   try await ShopAPI(baseURL: call.baseURL, session: call.session).get(call.url)
/// }
/// await DrillMain(subject: shop, beside: [.urlSession]).run()
/// ```
public struct DrillSubject: Sendable {
  /// The client that the value stands for.
  package let client: any Subject

  /// Creates a value from a client of this package.
  package init(_ client: any Subject) { self.client = client }

  /// Creates a client from a closure.
  ///
  /// - Parameters:
  ///   - name: The name in reports, and for `--subject`.
  ///   - body: One use of the client, as in ``Drill/run(as:in:_:)``.
  public init<Shown: Sendable>(
    _ name: String,
    _ body: @escaping @Sendable @concurrent (DrillCall) async throws -> Shown
  ) {
    client = ClosureSubject(name: name, body: body)
  }

  /// The name in reports, and for `--subject`.
  public var name: String { client.name }

  /// A bare `URLSession`: one task for each call, without a policy of its own.
  public static var urlSession: DrillSubject { DrillSubject(URLSessionSubject()) }

  /// The program that a plan names as its command.
  public static var program: DrillSubject { DrillSubject(ExecSubject()) }
}
