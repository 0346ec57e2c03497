import java.util.Map;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.core5.http.io.entity.EntityUtils;
import org.apache.hc.core5.http.io.entity.StringEntity;
import org.apache.hc.core5.http.io.support.ClassicRequestBuilder;

/** Apache HttpClient 5 at its defaults. */
public class Apache5 implements Client.Library {
  private final CloseableHttpClient client = HttpClients.createSystem();

  public byte[] send(String method, String url, Map<String, String> headers, String body) throws Exception {
    ClassicRequestBuilder request = ClassicRequestBuilder.create(method).setUri(url);
    headers.forEach(request::addHeader);
    if (body != null) request.setEntity(new StringEntity(body));
    return client.execute(request.build(), response -> {
      byte[] content = response.getEntity() == null ? new byte[0] : EntityUtils.toByteArray(response.getEntity());
      Client.check(response.getCode());
      return content;
    });
  }
}
