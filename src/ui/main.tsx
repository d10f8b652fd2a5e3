import './browser/content-policy.ts';
import './page/mantine.css';
// A sheet beside each feature; of rules that weigh the same the later sheet's counts.
import './page/page.css';
import './header/header.css';
import './page/grid.css';
import './overview/overview.css';
import './episode/stage.css';
import './overview/large-run.css';
import './page/part.css';
import './episode/where.css';
import './episode/transport.css';
import './episode/play.css';
import './episode/dialogue.css';
import './charts/charts.css';
import './charts/inside.css';
import './settings/settings.css';
import './notices/notices.css';
import { MantineProvider } from '@mantine/core';
import { StrictMode, Suspense } from 'react';
import { createRoot } from 'react-dom/client';
import { embeddedParts } from './address/embedded.ts';
import { App } from './app.tsx';
import { keepForOffline } from './comfort/offline.ts';
import { loadedLater, watchForMissingParts } from './comfort/release.ts';
import { keptScheme } from './comfort/scheme.ts';
import { whenSeen } from './embedded/when-seen.ts';
import { openLab } from './lab/opening.ts';
import { takeDrops } from './logs/drop-anywhere.ts';
import { WholePage } from './page/part.tsx';
import { theme } from './page/theme.ts';
import { offerTestApi } from './test-api.ts';

const Embedded = loadedLater(async () => (await import('./embedded/page.tsx')).EmbeddedPage);

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no element with the id "root"');

offerTestApi();
keepForOffline();
watchForMissingParts();
const embedded = embeddedParts() !== null;
if (embedded) void whenSeen().then(openLab);
else {
  takeDrops();
  void openLab();
}
createRoot(root).render(
  <StrictMode>
    <WholePage>
      <MantineProvider theme={theme} defaultColorScheme="auto" colorSchemeManager={keptScheme()}>
        {embedded ? (
          <Suspense>
            <Embedded />
          </Suspense>
        ) : (
          <App />
        )}
      </MantineProvider>
    </WholePage>
  </StrictMode>,
);
