import java.util.Map;
import org.apache.http.HttpResponse;
import org.apache.http.client.methods.RequestBuilder;
import org.apache.http.entity.StringEntity;
import org.apache.http.impl.client.CloseableHttpClient;
import org.apache.http.impl.client.HttpClients;
import org.apache.http.util.EntityUtils;

/** Apache HttpClient 4 at its defaults. */
public class Apache4 implements Client.Library {
  private final CloseableHttpClient client = HttpClients.createSystem();

  public byte[] send(String method, String url, Map<String, String> headers, String body) throws Exception {
    RequestBuilder request = RequestBuilder.create(method).setUri(url);
    headers.forEach(request::addHeader);
    if (body != null) request.setEntity(new StringEntity(body, "UTF-8"));
    return client.execute(request.build(), (HttpResponse response) -> {
      byte[] content = response.getEntity() == null ? new byte[0] : EntityUtils.toByteArray(response.getEntity());
      Client.check(response.getStatusLine().getStatusCode());
      return content;
    });
  }
}
