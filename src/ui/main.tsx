import './content-policy.ts';
import './mantine.css';
import './styles.css';
import { MantineProvider } from '@mantine/core';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { keepForOffline } from './comfort/offline.ts';
import { watchForMissingParts } from './comfort/release.ts';
import { keptScheme } from './comfort/scheme.ts';
import { openLab } from './lab-client.ts';
import { WholePage } from './part.tsx';
import { offerTestApi } from './test-api.ts';
import { theme } from './theme.ts';

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no element with the id "root"');

offerTestApi();
keepForOffline();
watchForMissingParts();
void openLab();
createRoot(root).render(
  <StrictMode>
    <WholePage>
      <MantineProvider theme={theme} defaultColorScheme="auto" colorSchemeManager={keptScheme()}>
        <App />
      </MantineProvider>
    </WholePage>
  </StrictMode>,
);
