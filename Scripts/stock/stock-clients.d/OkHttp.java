import java.io.IOException;
import java.util.Map;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;

/** OkHttp at its defaults. */
public class OkHttp implements Client.Library {
  private final OkHttpClient client = new OkHttpClient();

  public byte[] send(String method, String url, Map<String, String> headers, String body) throws Exception {
    RequestBody content = body == null ? null : RequestBody.create(null, body);
    Request.Builder request = new Request.Builder().url(url).method(method, content);
    headers.forEach(request::addHeader);
    try (Response response = client.newCall(request.build()).execute()) {
      if (!response.isSuccessful()) throw new IOException("Unexpected code " + response);
      return response.body().bytes();
    }
  }
}
