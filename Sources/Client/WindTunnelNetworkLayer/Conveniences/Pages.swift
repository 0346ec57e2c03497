/// The pages of a list, each requested when it is needed.
public struct Pages<Page: Sendable>: AsyncSequence, Sendable {
  /// One page of the list.
  public typealias Element = Page
  /// The error that ends the pages.
  public typealias Failure = NetworkError

  /// The maximum number of pages. A server with more is assumed to repeat itself.
  public static var pagesMax: Int { 10_000 }

  private let client: any Calling
  private let first: Endpoint
  private let decoder: ResponseDecoder<Page>
  private let next: @Sendable (Page, Endpoint) -> Endpoint?

  /// Creates a sequence of pages.
  ///
  /// - Parameters:
  ///   - client: The client that requests the pages.
  ///   - first: The endpoint of the first page.
  ///   - decoder: The decoder of a page.
  ///   - next: Returns the next endpoint for a page and its endpoint; `nil` after the last page.
  public init(
    by client: any Calling,
    from first: Endpoint,
    _ decoder: ResponseDecoder<Page>,
    next: @escaping @Sendable (Page, Endpoint) -> Endpoint?
  ) {
    (self.client, self.first, self.decoder, self.next) = (client, first, decoder, next)
  }

  /// Creates a sequence of pages in which each page has a cursor to the next.
  public static func byCursor(
    _ client: any Calling,
    _ endpoint: Endpoint,
    parameter: String = "cursor",
    _ decoder: ResponseDecoder<Page>,
    cursor: @escaping @Sendable (Page) -> String?
  ) -> Pages {
    Pages(by: client, from: endpoint, decoder) { page, _ in
      cursor(page).map { endpoint.adding(parameter, $0) }
    }
  }

  /// Creates a sequence of pages by an offset that grows by each page's number of items.
  ///
  /// An empty page ends the sequence.
  public static func byOffset(
    _ client: any Calling,
    _ endpoint: Endpoint,
    parameter: String = "offset",
    _ decoder: ResponseDecoder<Page>,
    count: @escaping @Sendable (Page) -> Int
  ) -> Pages {
    Pages(by: client, from: endpoint.adding(parameter, "0"), decoder) { page, asked in
      // The query ends with the offset that was added to it.
      let digits = asked.query?.encoded.split(separator: "=").last ?? ""
      let (offset, count) = (Int(digits) ?? 0, count(page))
      return count > 0 ? endpoint.adding(parameter, String(offset + count)) : nil
    }
  }

  /// Creates an iterator at the first page.
  public func makeAsyncIterator() -> Iterator { Iterator(pages: self, upcoming: first) }

  /// An iterator over the pages, which ends after a failure.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let pages: Pages
    fileprivate var upcoming: Endpoint?
    fileprivate var count = 0

    /// Returns the next page; `nil` after the last.
    public mutating func next() async throws(NetworkError) -> Page? {
      guard let endpoint = upcoming, count < Pages.pagesMax else { return nil }
      upcoming = nil
      count += 1
      let page = try await pages.client.value(of: endpoint, by: pages.decoder)
      upcoming = pages.next(page, endpoint)
      return page
    }
  }
}

extension Endpoint {
  /// Returns this endpoint with another query item.
  fileprivate func adding(_ name: String, _ value: String) -> Endpoint {
    var endpoint = self
    let item = Query([(name: name, value: value)]).encoded
    endpoint.query = Query(encoded: query.map { "\($0.encoded)&\(item)" } ?? item)
    return endpoint
  }
}
