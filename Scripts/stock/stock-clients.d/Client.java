import java.io.*;
import java.net.*;
import java.net.http.*;
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.regex.*;

/**
 * Drives one Java HTTP library for all calls of a drill: Client LIBRARY, or Client CLASS of another file.
 *
 * <p>Each line of standard input is a call, and each line of standard output its result. A library is used at its
 * defaults. The check for success is the one of its documentation.
 */
public class Client {
  /** Sends a request and returns the body of a response with a good status. */
  public interface Library {
    byte[] send(String method, String url, Map<String, String> headers, String body) throws Exception;
  }

  static class JdkClient implements Library {
    private final HttpClient client = HttpClient.newHttpClient();

    public byte[] send(String method, String url, Map<String, String> headers, String body) throws Exception {
      HttpRequest.BodyPublisher publisher =
          body == null ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(body);
      HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url)).method(method, publisher);
      headers.forEach(request::header);
      HttpResponse<byte[]> response = client.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
      check(response.statusCode());
      return response.body();
    }
  }

  static class JdkConnection implements Library {
    public byte[] send(String method, String url, Map<String, String> headers, String body) throws Exception {
      HttpURLConnection connection = (HttpURLConnection) new URL(url).openConnection();
      connection.setRequestMethod(method);
      headers.forEach(connection::setRequestProperty);
      if (body != null) {
        connection.setDoOutput(true);
        try (OutputStream output = connection.getOutputStream()) {
          output.write(body.getBytes(StandardCharsets.UTF_8));
        }
      }
      try (InputStream input = connection.getInputStream()) {
        check(connection.getResponseCode());
        return input.readAllBytes();
      }
    }
  }

  /** Throws if a status is not 2xx. */
  public static void check(int status) throws IOException {
    if (status < 200 || status > 299) throw new IOException("status " + status);
  }

  private static final String STRING = "\"((?:[^\"\\\\]|\\\\.)*)\"";
  private static final Pattern PAIR = Pattern.compile(STRING + "\\s*:\\s*(?:" + STRING + "|([0-9]+)|(\\{))");

  private static String unescaped(String text) {
    StringBuilder result = new StringBuilder();
    for (int index = 0; index < text.length(); index++) {
      char letter = text.charAt(index);
      if (letter != '\\') {
        result.append(letter);
        continue;
      }
      letter = text.charAt(++index);
      if (letter == 'u') {
        result.append((char) Integer.parseInt(text.substring(index + 1, index + 5), 16));
        index += 4;
      } else {
        int escape = "nrtbf".indexOf(letter);
        result.append(escape < 0 ? letter : "\n\r\t\b\f".charAt(escape));
      }
    }
    return result.toString();
  }

  private static String escaped(String text) {
    StringBuilder result = new StringBuilder("\"");
    for (char letter : text.toCharArray()) {
      if (letter < ' ' || letter == '"' || letter == '\\' || letter > '~') {
        result.append(String.format("\\u%04x", (int) letter));
      } else {
        result.append(letter);
      }
    }
    return result.append('"').toString();
  }

  public static void main(String[] words) throws Exception {
    // Trust the authority of the run, which Java reads from no variable.
    String authority = System.getenv("SSL_CERT_FILE");
    if (authority != null) trust(authority);
    Library library =
        words[0].equals("HttpClient") ? new JdkClient()
            : words[0].equals("HttpURLConnection") ? new JdkConnection()
                : (Library) Class.forName(words[0]).getDeclaredConstructor().newInstance();
    BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String text = input.readLine(); text != null; text = input.readLine()) {
      Map<String, String> line = new HashMap<>(), headers = new LinkedHashMap<>(), place = line;
      Matcher pair = PAIR.matcher(text);
      int end = -1;
      while (pair.find()) {
        if (end >= 0 && pair.start() > end) place = line;
        String name = unescaped(pair.group(1));
        if (pair.group(4) != null) {
          place = headers;
          // The object of header fields has no other object in it.
          end = text.indexOf('}', pair.end());
        } else {
          place.put(name, pair.group(3) != null ? pair.group(3) : unescaped(pair.group(2)));
        }
      }
      if (!line.containsKey("url")) continue;
      String result;
      try {
        String body = line.getOrDefault("body", "");
        byte[] shown = library.send(line.get("method"), line.get("url"), headers, body.isEmpty() ? null : body);
        result = "\"ok\":true,\"shown\":" + escaped(new String(shown, StandardCharsets.UTF_8));
      } catch (Exception error) {
        result = "\"ok\":false,\"error\":" + escaped(error.toString());
      }
      System.out.println("{\"call\":" + line.get("call") + "," + result + "}");
      System.out.flush();
    }
  }

  private static void trust(String authority) throws Exception {
    java.security.KeyStore store = java.security.KeyStore.getInstance(java.security.KeyStore.getDefaultType());
    store.load(null, null);
    try (InputStream input = new FileInputStream(authority)) {
      int number = 0;
      for (java.security.cert.Certificate one
          : java.security.cert.CertificateFactory.getInstance("X.509").generateCertificates(input)) {
        store.setCertificateEntry("ca" + number++, one);
      }
    }
    File file = File.createTempFile("trust", ".p12");
    file.deleteOnExit();
    try (OutputStream output = new FileOutputStream(file)) {
      store.store(output, "changeit".toCharArray());
    }
    System.setProperty("javax.net.ssl.trustStore", file.getPath());
    System.setProperty("javax.net.ssl.trustStorePassword", "changeit");
  }
}
