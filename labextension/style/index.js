import './base.css';
import './conversation.css';
import './composer.css';
import './changes.css';
import './output.css';
import './inspector.css';
import './forced.css';
